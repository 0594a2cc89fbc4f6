import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { version } from '../../schema/version.ts';
import { readConfig } from '../../src/config/config.ts';
import { checkBackups } from '../../src/commands/doctor/backups.ts';
import { judgeVersion } from '../../src/commands/doctor/database.ts';
import { examine } from '../../src/commands/doctor/doctor.ts';
import type { Finding } from '../../src/commands/doctor/finding.ts';
import { checkDisks } from '../../src/commands/doctor/machine.ts';
import { Keyring } from '../../src/security/keyring.ts';
import { findSecretProblem } from '../../src/security/secret-check.ts';
import { fillDisk, mountSmallDisk } from '../faults/database-faults.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/postgres.ts';
import { noPooler, startPooler } from '../pooler/pgbouncer.ts';
import { until } from '../webhooks/receiver.ts';
import { kontor } from './npm.ts';

// Each thing that the doctor checks is broken, and then repaired as the doctor says.

const secret = 'not-a-secret-but-long-enough-for-one';
let postgres: OwnPostgres;
let env: Record<string, string>;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  env = { DATABASE_URL: postgres.url, KONTOR_SECRET: secret, PUBLIC_URL: 'http://127.0.0.1:4000' };
  await migrate(postgres.url);
  const pool = new ConnectionPool({ connectionString: postgres.url, max: 1 });
  await findSecretProblem(pool, new Keyring(secret)); // as the first start does
  await pool.end();
});
afterAll(() => postgres.remove());

/** The doctor's findings of one check. */
async function find(check: string, settings: Record<string, string> = {}, now?: () => number): Promise<Finding[]> {
  const found = await examine(readConfig({ ...env, ...settings }), now);
  return found.filter((finding) => finding.check === check);
}

/** Does as it says, where that is SQL. */
async function mend(found: Finding[]): Promise<void> {
  for (const { action = '' } of found) await postgres.query(action.slice(action.indexOf('run: ') + 5));
}

const heartbeat = `insert into workers (id, seen_at) values ('w', now()) on conflict (id) do update set seen_at = now()`;

describe('kontor doctor', () => {
  it('says what is wrong in lines and JSON, and exits with 1 if something fails', async () => {
    const before = await kontor(['doctor'], env);
    expect(before.code).toBe(1);
    expect(before.out).toContain('fail  queue              No worker runs. Start one: npm run -s kontor -- work\n');

    await mend(await find('isolation').then((found) => found.filter(({ status }) => status === 'warn')));
    await postgres.query(heartbeat);
    const after = await kontor(['doctor', '--json'], env);
    const { ok, checks, version: said } = JSON.parse(after.out) as { ok: boolean; checks: Finding[]; version: string };
    expect([after.code, after.err, ok, said]).toEqual([0, '', true, version]);
    expect(checks.filter(({ status }) => status !== 'ok')).toMatchObject([
      { check: 'backup', status: 'warn', action: expect.stringContaining('archive_mode') as string },
    ]);
    const looked = `backup, clock, connections, database, database settings, disk, extensions, isolation, migrations, processes,
      proxies, queue, roles, secret, version, writes`;
    expect([...new Set(checks.map(({ check }) => check))].toSorted()).toEqual(looked.split(/,\s*/));
  });

  it('makes no database where there is none, and names a wrong setting', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const embedded = { DATABASE_URL: '', KONTOR_SECRET: '', DATA_DIR: folder };
    const none = await kontor(['doctor'], embedded);
    expect(none).toMatchObject({ code: 0, out: expect.stringContaining(`There is none in ${folder}`) as string });
    expect(await readdir(folder)).toEqual([]);
    expect(await kontor(['doctor'], { ...embedded, PORT: 'http' })).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^fail {2}settings +PORT="http" is not accepted: [^\n]*\n$/) as string,
    });
  });
});

describe('SQL that it proposes mends', () => {
  it.each([
    [
      'roles',
      'alter role kontor_books bypassrls',
      'kontor_books passes row-level security by: tenants are not isolated',
    ],
    ['roles', 'revoke kontor_books from kontor', 'kontor may not act as kontor_books'],
    ['roles', 'grant kontor to kontor_books', 'kontor_books may act as kontor'],
    ['isolation', 'alter table customers disable row level security', 'Without row-level security: customers'],
  ])('%s: %s', async (check, statement, message) => {
    if (statement.startsWith('grant')) await postgres.query('revoke kontor_books from kontor');
    await postgres.query(statement);
    const found = await find(check);
    expect(found).toContainEqual(expect.objectContaining({ status: 'fail', message }));
    await mend(found);
    expect(await find(check)).toMatchObject([{ status: 'ok' }]);
  });
});

describe('it finds', () => {
  it('a migration that is missing, and one of a later version', async () => {
    const last = `(select max(migration_name) from _prisma_migrations)`;
    await postgres.query(`update _prisma_migrations set finished_at = null where migration_name = ${last}`);
    expect(await find('migrations')).toMatchObject([{ status: 'fail', action: 'Run: npm run -s kontor -- migrate' }]);
    await postgres.query(`update _prisma_migrations set finished_at = now() where migration_name = ${last}`);
    await postgres.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '2099_later', now())`,
    );
    expect(await find('migrations')).toMatchObject([
      { status: 'warn', message: 'A later version has added 2099_later' },
    ]);
    await postgres.query(`delete from _prisma_migrations where id = 'x'`);
    expect(await find('migrations')).toMatchObject([{ status: 'ok' }]);
  });

  it('a process of another version', async () => {
    const other = new Client({ connectionString: postgres.url, application_name: 'kontor 0.0.9' });
    await other.connect();
    expect(await find('processes')).toMatchObject([
      { status: 'warn', message: `Processes of version 0.0.9 run beside ${version}` },
    ]);
    await other.end();
  });

  it('jobs that wait, and jobs that were given up', async () => {
    await postgres.query(heartbeat);
    await postgres.query(`select graphile_worker.add_job('overdue', run_at => now() - interval '1 hour')`);
    expect(await find('queue')).toMatchObject([
      { status: 'fail', message: expect.stringMatching(/^Due jobs wait for up to 36\d\d s: overdue$/) as string },
    ]);
    await postgres.query('update graphile_worker._private_jobs set attempts = max_attempts');
    expect(await find('queue')).toMatchObject([{ status: 'warn', message: 'Given up: 1 of overdue' }]);
    await postgres.query('delete from graphile_worker._private_jobs');
  });

  it('another secret', async () => {
    expect(await find('secret', { KONTOR_SECRET: secret.toUpperCase() })).toMatchObject([
      { status: 'fail', action: 'Set the former one' },
    ]);
  });

  it.each([
    [5, 'warn'],
    [-5, 'warn'],
    [90, 'fail'],
  ])('a clock that differs by %i s: %s', async (seconds, status) => {
    expect(await find('clock', {}, () => Date.now() + seconds * 1000)).toMatchObject([{ status }]);
  });

  it.each([
    [{ PUBLIC_URL: 'https://books.example' }, 'Set TRUSTED_PROXIES to the number of proxies'],
    [{ PUBLIC_URL: 'http://books.example', TRUSTED_PROXIES: '1' }, 'Put a proxy with TLS in front of Kontor'],
    [{ PUBLIC_URL: '', HOST: '0.0.0.0' }, 'Set it to the address that clients use'],
  ])('settings of proxies: %o', async (settings, action) => {
    expect(await find('proxies', settings as Record<string, string>)).toMatchObject([
      { status: 'warn', action: expect.stringContaining(action) as string },
    ]);
  });

  it('a pooler where none may be', async (context) => {
    if (noPooler) return context.skip('pgbouncer is missing');
    const pooler = await startPooler(postgres.url, 3);
    onTestFinished(pooler.close);
    const pooled = pooler.through(postgres.url);
    const books = { DATABASE_BOOKS_URL: pooled, DATABASE_DIRECT_URL: postgres.url };
    expect(await find('pooler', { DATABASE_URL: pooled })).toMatchObject([
      { status: 'fail', action: 'Set DATABASE_DIRECT_URL to PostgreSQL itself' },
    ]);
    expect(await find('pooler', { DATABASE_URL: pooled, ...books })).toMatchObject([
      { status: 'ok' },
      { status: 'fail', action: 'Set DATABASE_BOOKS_DIRECT_URL to PostgreSQL itself' },
    ]);
    expect(await find('pooler', { DATABASE_DIRECT_URL: pooled })).toMatchObject([
      { status: 'fail', action: 'Let it name PostgreSQL itself' },
    ]);
  });

  it('a full disk, and a folder for temporary files that is not there', async (context) => {
    const { TMPDIR } = process.env;
    onTestFinished(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    });
    process.env['TMPDIR'] = '/nowhere';
    expect(await find('disk')).toMatchObject([
      { status: 'fail', message: "/nowhere (TMPDIR) can't be written: ENOENT" },
    ]);
    process.env['TMPDIR'] = '/tmp';
    const disk = await mountSmallDisk(64);
    if (!disk) return context.skip('a small file system can be mounted by root only');
    onTestFinished(disk.remove);
    const findHere = async () => (await find('disk', { FILES_URL: `file://${disk.folder}` }))[0];
    expect(await findHere()).toMatchObject({ status: 'ok' });
    await writeFile(join(disk.folder, 'large'), Buffer.alloc(60 * 2 ** 20));
    expect(await findHere()).toMatchObject({ status: 'warn' });
    await fillDisk(disk.folder);
    expect(await findHere()).toMatchObject({
      status: 'fail',
      message: `${disk.folder} (FILES_URL) has 0.0 of 0.1 GiB left`,
    });
  });

  it('the disk of the embedded database, also where a link leads to it', async () => {
    const [dataDir, elsewhere] = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'kontor-doctor-'))));
    onTestFinished(async () => {
      for (const folder of [dataDir, elsewhere]) await rm(folder!, { recursive: true });
    });
    const look = () => checkDisks(readConfig({ DATA_DIR: dataDir!, TMPDIR: '/tmp' }));
    const ofData = expect.stringContaining(`${dataDir} (DATA_DIR) has`) as string;
    const ofTemporary = expect.stringContaining('(TMPDIR) has') as string;
    expect((await look()).map(({ message }) => message)).toEqual([ofData, ofTemporary]);
    await mkdir(join(dataDir!, 'postgres'));
    expect((await look()).map(({ message }) => message)).toEqual([ofData, ofTemporary]);
    await rm(join(dataDir!, 'postgres'), { recursive: true });
    await symlink(elsewhere!, join(dataDir!, 'postgres'));
    expect((await look()).map(({ message }) => message)).toEqual([
      ofData,
      expect.stringContaining(`${elsewhere} (DATA_DIR) has`),
      ofTemporary,
    ]);
  });

  it('connections that run short, and a log that is not archived', async () => {
    for (const setting of [`max_connections = 20`, `archive_mode = on`, `archive_command = 'false'`])
      await postgres.query(`alter system set ${setting}`);
    await postgres.stopImmediately();
    await postgres.start();
    expect(await find('connections')).toMatchObject([
      {
        status: 'warn',
        message: expect.stringMatching(/ of 17 connections are open; one start takes up to 30$/) as string,
      },
    ]);
    const greedy = Array.from({ length: 16 }, () => new Client({ connectionString: postgres.url }));
    const [first, ...others] = greedy;
    await first!.connect();
    // The server still counts a connection for a moment after it was closed.
    const open = `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'`;
    await expect.poll(async () => (await first!.query<{ count: number }>(open)).rows[0]?.count).toBe(1);
    for (const client of others) await client.connect();
    expect(await find('connections')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('17 of 17') as string },
    ]);
    for (const client of greedy) await client.end();

    await postgres.query('select pg_switch_wal()');
    await expect
      .poll(async () => await find('backup'))
      .toMatchObject([{ status: 'fail', message: expect.stringContaining('Archiving fails at 0') as string }]);
    await postgres.query(`alter system set archive_command = 'true'`);
    await postgres.query('select pg_reload_conf()');
    await postgres.query('select pg_switch_wal()');
    await expect.poll(async () => await find('backup')).toMatchObject([{ status: 'ok' }]);
  });

  it('a backup by schedule that is missing, or old', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const settings = { BACKUP_FOLDER: folder, BACKUP_EVERY: '12', KONTOR_BACKUP_PASSPHRASE: 'correct horse' };
    const check = async (hours: number) =>
      (await checkBackups(readConfig(settings), () => Date.parse('2026-11-28T03:00:00Z') + hours * 3_600_000))[0];
    expect(await check(0)).toMatchObject({ status: 'fail', message: `${folder} has none` });
    await writeFile(join(folder, 'kontor-2026-11-28T03-00-00Z.backup'), '');
    expect(await check(24)).toMatchObject({ status: 'ok' });
    expect(await check(25)).toMatchObject({ status: 'fail', message: expect.stringContaining('25 h old') as string });
    expect(await checkBackups(readConfig({}), Date.now)).toMatchObject([{ status: 'warn' }]);
  });

  it('an extension that is missing', async () => {
    await postgres.query('drop extension btree_gin cascade');
    const found = await find('extensions');
    expect(found).toMatchObject([{ status: 'fail', message: 'btree_gin is not installed' }]);
    await mend(found);
    expect(await find('extensions')).toMatchObject([{ status: 'ok' }]);
  });

  it('a PostgreSQL that is too old', () => {
    expect(judgeVersion('14.19', 140_019)).toMatchObject({ status: 'fail' });
    expect(judgeVersion('15.0', 150_000)).toMatchObject({ status: 'ok' });
  });

  it('a database that takes no writes', async () => {
    await postgres.query('alter role kontor set default_transaction_read_only = on');
    expect(await find('writes')).toMatchObject([{ status: 'fail', message: 'The database is read-only' }]);
    await postgres.query('alter role kontor reset default_transaction_read_only');
    expect(await find('writes')).toMatchObject([{ status: 'ok' }]);

    await postgres.query(`alter system set synchronous_standby_names = '*'`);
    await postgres.query('select pg_reload_conf()');
    const writer = new Client(postgres.url);
    await writer.connect();
    const written = writer.query(heartbeat);
    await until(async () => (await find('writes'))[0]?.status === 'fail', 'a write to wait for a replica');
    const [found] = await find('writes');
    for (const statement of found?.action?.split('run: ')[1]?.split('; ') ?? []) await postgres.query(statement);
    await written;
    await writer.end();
    expect(await find('writes')).toMatchObject([{ status: 'ok' }]);
  });

  it('a database that does not answer, or refuses', async () => {
    const wrong = new URL(postgres.url);
    wrong.password = 'wrong';
    expect(await find('database', { DATABASE_URL: wrong.href })).toMatchObject([
      { status: 'fail', message: expect.stringContaining('The database refuses the password.') as string },
    ]);
    await postgres.query('alter role kontor connection limit 0');
    expect(await find('database')).toMatchObject([
      {
        status: 'fail',
        message: expect.stringContaining('The database has no connection left.') as string,
        action: expect.stringContaining('max_connections') as string,
      },
    ]);
    await postgres.stopImmediately();
    expect(await find('database')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('the connection is refused') as string },
    ]);
  });
});
