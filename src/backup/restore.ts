import { Transform, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { Client } from 'pg';
import { createConnection } from '../../prisma/connection.ts';
import { from as copyFrom } from 'pg-copy-streams';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { z } from 'zod';
import { manifestEntry, manifestSchema, tableEntry, type Manifest } from './manifest.ts';
import { copySource, listTables } from './tables.ts';

/** A backup that can't be restored. The message is one line, fit to be shown as it is. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** A backup's file, open. */
export interface Backup {
  manifest: Manifest;
  /**
   * Replaces all rows of a database with those of the backup, in one transaction. The database must have the same migrations.
   * @param superuserUrl of that database: only a superuser can disable triggers and foreign keys for the copied rows
   * @throws BackupError when the file is damaged; the database is then as it was
   */
  load(superuserUrl: string): Promise<void>;
  close(): void;
}

/** @throws BackupError if the file is no backup, is damaged, or has a format that this version doesn't know */
export async function openBackup(file: string): Promise<Backup> {
  const archive = await openPromise(file, { autoClose: false }).catch((error: Error) => {
    throw new BackupError(`${file} is no backup, or not a whole one: ${error.message}`, { cause: error });
  });
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of archive.eachEntry()) entries.set(entry.fileName, entry);
    const manifest = await readManifest(file, archive, entries.get(manifestEntry));
    return {
      manifest,
      load: async (superuserUrl) => {
        const rowsOf = async ({ name }: { name: string }): Promise<Readable> => {
          const entry = entries.get(tableEntry(name));
          if (!entry) throw new BackupError(`${file} is damaged: it has no rows of ${name}`);
          return checked(await archive.openReadStreamPromise(entry), entry);
        };
        // Checks the whole file first: otherwise PostgreSQL may report a damaged row before the end of the file is reached.
        for (const table of manifest.tables) await finished((await rowsOf(table)).resume());
        await load(superuserUrl, manifest, rowsOf);
      },
      close: () => archive.close(),
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function readManifest(file: string, archive: ZipFile, entry: Entry | undefined): Promise<Manifest> {
  if (!entry) throw new BackupError(`${file} is no backup: it has no ${manifestEntry}`);
  const parsed = manifestSchema.safeParse(
    JSON.parse(await text(await checked(await archive.openReadStreamPromise(entry), entry))),
  );
  if (parsed.success) return parsed.data;
  throw new BackupError(`${file} can't be restored by this version: ${z.prettifyError(parsed.error).split('\n')[0]}`);
}

/** Checks the CRC, because yauzl checks only the length. @returns the same bytes; at their end an error if it differs */
function checked(stream: Readable, { crc32: expected, fileName }: Entry): Readable {
  let sum = 0;
  const check = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush: (done) => done(sum === expected ? null : new BackupError(`The backup is damaged, at ${fileName}`)),
  });
  stream.once('error', (error) => {
    check.destroy(new BackupError(`The backup is damaged, at ${fileName}: ${error.message}`, { cause: error }));
  });
  return stream.pipe(check);
}

async function load(
  superuserUrl: string,
  { tables, sequences }: Manifest,
  rowsOf: (table: { name: string }) => Promise<Readable>,
): Promise<void> {
  const client = createConnection({ connectionString: superuserUrl, application_name: 'kontor restore' });
  client.on('error', () => {}); // the query that was under way says it
  await client.connect();
  try {
    const known = new Set((await listTables(client)).map(({ name }) => name));
    const unknown = tables.find(({ name }) => !known.has(name));
    if (unknown) throw new BackupError(`The backup has a table that this version doesn't know: ${unknown.name}`);
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set session_replication_role = 'replica'`);
    await client.query('begin');
    await client.query(`truncate ${[...known].join(', ')}`); // migrations may have written rows
    const addConstraints = await dropUncheckedConstraints(client);
    for (const table of tables) {
      const into = client.query(copyFrom(`copy ${copySource(table)} from stdin`));
      await pipeline(await rowsOf(table), into);
      if (into.rowCount !== table.rows)
        throw new BackupError(`The backup is damaged: ${into.rowCount} rows of ${table.name} instead of ${table.rows}`);
    }
    for (const { name, lastValue } of sequences)
      if (lastValue !== null) await client.query('select setval($1::regclass, $2)', [name, lastValue]);
    // Cursors from before are refused: consumers may have seen changes that the backup doesn't have.
    await client.query('select start_change_epoch()');
    await addConstraints();
    await client.query('commit');
    await client.query('analyze');
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Drops the CHECK constraints that are `not valid`: a backup may have old rows that violate one.
 * @returns the statements that add them again
 */
async function dropUncheckedConstraints(client: Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ drop: string; add: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint where contype = 'c' and not convalidated and connamespace = 'public'::regnamespace`);
  for (const { drop } of rows) await client.query(drop);
  return async () => {
    for (const { add } of rows) await client.query(add);
  };
}
