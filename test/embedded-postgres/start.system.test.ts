import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { joinEmbeddedPostgres } from '../../src/database/postgres/embedded-postgres.ts';
import { cleanUpMembers, folder, enter, node, query, session, runsIn } from './members.ts';

cleanUpMembers();

describe('a first start', () => {
  it('creates a cluster that folds all letters, listens only on loopback, and requires its password', async () => {
    const dir = folder();
    const member = await enter(dir);
    expect(member.location).toBe(dir);
    expect(member.reports).toEqual([`Making a database in ${dir}/postgres`]);
    const [row] = await query(
      member.superuserUrl,
      `
      select lower('ÄÖ'), 'ÄÖÜ' ilike '%äöü' as ilike, current_database() as database, current_setting('server_encoding') as encoding,
        current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
        current_setting('max_connections') as connections, current_setting('data_checksums') as checksums`,
    );
    expect(row).toEqual({
      lower: 'äö',
      ilike: true,
      database: 'kontor',
      encoding: 'UTF8',
      addresses: '127.0.0.1',
      sockets: '',
      connections: '200',
      checksums: 'on',
    });
    await expect(query(member.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
    expect(statSync(join(dir, 'postgres')).mode & 0o777).toBe(0o700);
    for (const file of ['password', 'superuser-password', 'books-password'])
      expect(statSync(join(dir, 'postgres', file)).mode & 0o777).toBe(0o600);
  });

  it('says what to set where its folder can not be made', async () => {
    await expect(joinEmbeddedPostgres('/dev/null/data', () => {})).rejects.toThrow(
      /^The data folder \/dev\/null\/data can't be made \(E.*\): set DATABASE_URL/,
    );
  });

  it('gives the server a session of its own, out of reach of Ctrl-C', async () => {
    const member = await enter(folder());
    const [ours, theirs] = [session(member.pid), session(member.server)];
    expect(theirs).toEqual({ group: member.server, session: member.server });
    expect(theirs.session).not.toBe(ours.session);
    await query(member.url, 'create table survivor ()');
    process.kill(member.pid, 'SIGINT');
    await member.exited;
    await query(member.url, 'table survivor');
  });

  it('is announced while the server starts, and not where it runs already', async () => {
    const { stderr } = await node(
      folder(),
      `const join = (name) => joinEmbeddedPostgres(dataDir, undefined, () => console.error(name + ' starts it'));
       const first = await join('the first');
       const second = await join('the second');
       await Promise.all([first.leave(), second.leave()]);`,
    );
    expect(stderr).toBe('the first starts it\n');
  });

  it('happens once for concurrent processes', async () => {
    const dir = folder();
    const members = await Promise.all(Array.from({ length: 6 }, () => enter(dir)));
    expect(new Set(members.map(({ url }) => url)).size).toBe(1);
    expect(new Set(members.map(({ server }) => server)).size).toBe(1);
    expect(members.filter(({ reports }) => reports.length > 0).length).toBe(1);
    expect(readdirSync(dir).toSorted()).toEqual(['postgres', 'postgres.lock']);
  });

  it('succeeds after one that was killed', async () => {
    const dir = folder();
    mkdirSync(join(dir, 'postgres.new-abcdef/cluster'), { recursive: true });
    await enter(dir);
    expect(readdirSync(dir).toSorted()).toEqual(['postgres', 'postgres.lock']);
  });
});

describe('leaving', () => {
  it('stops the server only if no other process uses it', async () => {
    const dir = folder();
    const [first, second] = [await enter(dir), await enter(dir)];
    expect(second.server).toBe(first.server);
    await first.leave();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.leave();
    expect(runsIn(second.server, dir)).toBe(false);
    expect(readFileSync(join(dir, 'postgres/log'), 'utf8')).toContain('database system is shut down');
  });

  it('never stops the server under a process that is joining', async () => {
    const dir = folder();
    await (await enter(dir)).leave();
    const churn = `for (let i = 0; i < 8; i++) {
      const server = await joinEmbeddedPostgres(dataDir);
      const client = new Client(server.url);
      await client.connect();
      await client.query('select pg_sleep(random() * 0.02)');
      await client.end();
      await server.leave();
    }`;
    const results = await Promise.all(Array.from({ length: 4 }, () => node(dir, churn)));
    for (const result of results) expect(result).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(dir, 'postgres/cluster/postmaster.pid'))).toBe(false);
  });

  it('is optional: a process can end without it, and the next one stops the server', async () => {
    const dir = folder();
    expect(await node(dir, 'await joinEmbeddedPostgres(dataDir)')).toEqual({ code: 0, stderr: '' });
    const next = await enter(dir);
    await next.leave();
    expect(runsIn(next.server, dir)).toBe(false);
  });
});
