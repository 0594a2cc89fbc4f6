import { CursorExpiredError, Kontor } from '@kontor/sdk';

const { DatabaseSync } = await import('node:sqlite').catch(() => {
  throw new Error('This program needs Node 22.13 or newer, which has node:sqlite.');
});

const kontor = new Kontor({ baseUrl: process.env.KONTOR ?? '', token: process.env.TOKEN ?? '' });
const db = new DatabaseSync('copy.db');
db.exec(`create table if not exists copy (resource text, id text, data text, primary key (resource, id));
         create table if not exists position (only integer primary key, cursor text)`);
const position = db.prepare('select cursor from position');
const move = db.prepare('insert or replace into position values (1, ?)');
const write = db.prepare('insert or replace into copy values (?, ?, ?)');
const remove = db.prepare('delete from copy where resource = ? and id = ?');

for (;;) {
  try {
    for await (const { data, meta } of kontor.changes.followPages({ since: position.get()?.cursor?.toString() })) {
      db.exec('begin'); // the changes and the cursor, or none of them
      for (const change of data) {
        if (change.data === null) remove.run(change.resource, change.id);
        else write.run(change.resource, change.id, JSON.stringify(change.data));
      }
      move.run(meta.cursor);
      db.exec('commit');
    }
  } catch (error) {
    if (!(error instanceof CursorExpiredError)) throw error;
    db.exec('begin; delete from copy; delete from position; commit'); // read it all again
  }
}
