import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { openDatabase } from '../../src/database/database.ts';
import { readConfig } from '../../src/config/config.ts';
import { joinEmbeddedPostgres } from '../../src/database/postgres/embedded-postgres.ts';
import { findPostmaster, start, stop } from '../../src/database/postgres/postgres-server.ts';
import { findServerLocation } from '../../src/database/postgres/postgres-user.ts';

// The embedded server's superuser serves nobody. DECISIONS.md#d24-isolation holds whatever is asked.

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'kontor-roles-'));
  cleanups.push(() => rm(made, { recursive: true, force: true }));
  return made;
}

// eslint-disable-next-line typescript/no-explicit-any
async function query(url: string, ...statements: string[]): Promise<any[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

const whoAmI = `
  select session_user::text as login, (select rolsuper or rolbypassrls or rolcreaterole from pg_roles where rolname = session_user) as mighty`;

describe('the service on the embedded database', () => {
  it('connects as the owner, who is no superuser, and to the books as a role that owns nothing', async () => {
    const told: string[] = [];
    const database = await openDatabase(readConfig({ DATA_DIR: await folder() }), {
      report: (line) => told.push(line),
    });
    cleanups.push(() => database.close());
    const asked = await Promise.all([
      database.pool.query(whoAmI),
      asTenant('01900000-0000-7000-8000-000000000000', () => database.books.pool.query(whoAmI)),
      query(database.url, whoAmI).then((rows) => ({ rows })),
    ]);
    expect(asked.map(({ rows }) => rows[0])).toEqual([
      { login: 'kontor', mighty: false },
      { login: 'kontor_books', mighty: false },
      { login: 'kontor', mighty: false },
    ]);
    expect(told.join('\n')).not.toContain('superuser');
    const { rows } = await database.pool.query(`select proleakproof from pg_proc where oid = 'numeric_lt'::regproc`);
    expect(rows).toEqual([{ proleakproof: true }]);
  });

  it('leaves the role of the books no way to another role', async () => {
    const { url, booksUrl, superuserUrl, leave } = await joinEmbeddedPostgres(await folder());
    cleanups.push(leave);
    await migrate(url, undefined, { superuserUrl });
    await expect(query(booksUrl, 'reset role', 'select * from users')).rejects.toThrow(
      'permission denied for table users',
    );
    for (const role of ['kontor', 'postgres'])
      await expect(query(booksUrl, `set role ${role}`)).rejects.toThrow(`permission denied to set role "${role}"`);
    await expect(query(booksUrl, `set session authorization kontor`)).rejects.toThrow('permission denied');
  });
});

describe('a cluster of an earlier version, whose owner was the superuser', () => {
  /** As the version before made it. */
  async function makeEarlierCluster(dataDir: string) {
    const place = await findServerLocation(dataDir, () => {});
    const { user, bin, home } = place;
    const passwordFile = join(home, 'password');
    await mkdir(home, { mode: 0o700 });
    await writeFile(passwordFile, 'first', { mode: 0o600 });
    if (user) for (const path of [home, passwordFile]) await chown(path, user.uid, user.gid);
    await promisify(execFile)(
      join(bin, 'initdb'),
      [
        `--pgdata=${home}/cluster`,
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--username=kontor',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--set=unix_socket_directories=',
      ],
      { ...user, cwd: '/', env: { LC_ALL: 'C' } },
    );
    expect(await start(place, undefined)).toBe('');
    const { port } = (await findPostmaster(place))!;
    const url = `postgres://kontor:first@127.0.0.1:${port}/`;
    await query(`${url}postgres`, 'create database kontor');
    return { place, url: `${url}kontor` };
  }

  it('keeps its rows, and gets an owner who is no superuser', async () => {
    const dataDir = await folder();
    const { place, url } = await makeEarlierCluster(dataDir);
    await migrate(url);
    const tenant = '01900000-0000-7000-8000-000000000000';
    await query(
      url,
      `insert into tenants (id, name, country) values ('${tenant}', 'Acme', 'DE')`,
      `insert into customers (tenant_id, id, type, company_name, updated_at) values ('${tenant}', '${tenant}', 'customer', 'Old', now())`,
      `select graphile_worker.add_job('overdue')`,
    );
    await stop(place);

    const joined = await joinEmbeddedPostgres(dataDir);
    cleanups.push(joined.leave);
    expect(await query(joined.url, whoAmI)).toEqual([{ login: 'kontor', mighty: false }]);
    expect(await migrate(joined.url, undefined, { superuserUrl: joined.superuserUrl })).toEqual([]);
    expect(
      await query(joined.booksUrl, `set kontor.tenant_id = '${tenant}'`, 'select company_name as name from customers'),
    ).toEqual([{ name: 'Old' }]);
    // Statements of later migrations and of the queue.
    await query(
      joined.url,
      'alter table customers add column later text',
      'alter type invoice_status add value $$later$$',
    );
    await query(joined.url, `select graphile_worker.add_job('overdue')`, 'delete from graphile_worker._private_jobs');
    const others = `
      select relname from pg_class where relowner <> 'kontor'::regrole and relnamespace = any (array['public', 'graphile_worker']::regnamespace[])`;
    expect(await query(joined.url, others)).toEqual([]);
    const superusers = 'select rolname::text as name from pg_roles where rolsuper';
    expect(await query(joined.url, superusers)).toEqual([{ name: 'postgres' }]);
    await expect(query(joined.booksUrl, 'reset role', 'select * from users')).rejects.toThrow('permission denied');
  });

  it('is changed once, however many processes join at once or in turn', async () => {
    const dataDir = await folder();
    const { place } = await makeEarlierCluster(dataDir);
    await stop(place);
    const members = await Promise.all(Array.from({ length: 4 }, () => joinEmbeddedPostgres(dataDir)));
    expect(new Set(members.map(({ url, booksUrl }) => url + booksUrl)).size).toBe(1);
    expect(await query(members[0]!.url, whoAmI)).toEqual([{ login: 'kontor', mighty: false }]);
    await Promise.all(members.map(({ leave }) => leave()));
    const again = await joinEmbeddedPostgres(dataDir);
    cleanups.push(again.leave);
    expect(await query(again.url, whoAmI)).toEqual([{ login: 'kontor', mighty: false }]);
  });
});
