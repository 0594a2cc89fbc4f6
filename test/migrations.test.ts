import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { migrate, migrations, pendingMigrations } from '../prisma/migrate/migrate.ts';
import { applyMigrations, drift } from '../prisma/migrate/schema-engine.ts';
import { createEmptyDatabase } from './harness.ts';

const execute = promisify(execFile);

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let pool: Pool;
const names = (await migrations()).map((migration) => migration.name);
const last = names.at(-1) ?? '';

beforeEach(async () => {
  database = await createEmptyDatabase();
  pool = new Pool({ connectionString: database.url });
  // The pool's end() returns before its connections are closed. The database may be dropped before that.
  pool.on('connect', (connection) => connection.on('error', () => {}));
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

test('the migrations create exactly the schema of schema.prisma', async () => {
  expect(await migrate(database.url)).toEqual(names);
  expect(await drift(database.url)).toBe('');
});

test('drift reports a column that schema.prisma does not have', async () => {
  await migrate(database.url);
  await pool.query('alter table tenants add column surprise text');
  expect(await drift(database.url)).toBe('-- AlterTable\nALTER TABLE "tenants" DROP COLUMN "surprise";\n');
});

test('of eight processes that start on an empty database at once, one applies the migrations', async () => {
  const runs = await Promise.all(Array.from({ length: 8 }, () => migrateInProcess(database.url)));
  expect(runs.filter((run) => run.applied.length > 0)).toEqual([{ applied: names, engine: true }]);
  const { rows } = await pool.query(
    'select migration_name as name, finished_at is not null as finished from _prisma_migrations order by name',
  );
  expect(rows).toEqual(names.map((name) => ({ name, finished: true })));
});

test('of eight that start at once on a database one migration behind, one brings it up to date', async () => {
  const all = await migrations();
  await applyMigrations(database.url, all.slice(0, -1));
  const runs = await Promise.all(Array.from({ length: 8 }, () => migrateInProcess(database.url)));
  expect(runs.filter((run) => run.applied.length > 0)).toEqual([{ applied: names.slice(-1), engine: true }]);
  expect(await pendingMigrations(pool)).toEqual([]);
});

test('when nothing is pending, the engine is not loaded', async () => {
  expect(await migrateInProcess(database.url)).toEqual({ applied: names, engine: true });
  expect(await migrateInProcess(database.url)).toEqual({ applied: [], engine: false });
});

test('an unfinished migration is pending', async () => {
  expect(await pendingMigrations(pool)).toEqual(names);
  await migrate(database.url);
  expect(await pendingMigrations(pool)).toEqual([]);
  await pool.query('update _prisma_migrations set finished_at = null where migration_name = $1', [last]);
  expect(await pendingMigrations(pool)).toEqual([last]);
  await pool.query(
    'update _prisma_migrations set finished_at = now(), rolled_back_at = now() where migration_name = $1',
    [last],
  );
  expect(await pendingMigrations(pool)).toEqual([last]);
});

test('a failed migration is reported with its reason on one line, rolled back, and tried again', async () => {
  const good = {
    name: '1_good',
    script: 'create function two() returns int language plpgsql as $$ begin perform 1; return 2; end $$',
  };
  const bad = { name: '2_bad', script: 'create table half ();\nselect 1 / 0;' };
  const error = 'migration 2_bad failed and was rolled back: division by zero';

  await expect(applyMigrations(database.url, [good, bad])).rejects.toThrow(new Error(error));
  await expect(applyMigrations(database.url, [good, bad])).rejects.toThrow(new Error(error));
  expect((await pool.query(`select two(), to_regclass('half') as half`)).rows).toEqual([{ two: 2, half: null }]);
  expect(await applyMigrations(database.url, [good, { ...bad, script: 'create table half ()' }])).toEqual(['2_bad']);
});

test('a migration may take longer than the operator’s limits for statements and sessions', async () => {
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'];
  const { rows } = await pool.query<{ name: string }>('select current_database() as name');
  for (const limit of limits) await pool.query(`alter database "${rows[0]?.name}" set ${limit} = '200ms'`);
  const slow = {
    name: '9_slow',
    script: `create function wait(integer) returns integer immutable language sql as 'select $1 from pg_sleep(0.5)';
      create table big (id integer); insert into big select wait(1);`,
  };
  const index = { name: '9_slow_index', script: 'create index concurrently slow on big (wait(id))' };
  expect(await applyMigrations(database.url, [slow, index])).toEqual(['9_slow', '9_slow_index']);
  // The lock of migrate() is held by a session that is idle.
  expect(await migrate(database.url)).toEqual(names);
  expect(await pendingMigrations(pool)).toEqual([]);
});

test('a migration whose process is killed is rolled back, and tried again', async () => {
  const slow = { name: '1_slow', script: 'create table slow (); select pg_advisory_xact_lock(7);' };
  const holder = await pool.connect();
  await holder.query('select pg_advisory_lock(7)');
  const child = execFile(process.execPath, [
    '--input-type=module',
    '--eval',
    `
    const { applyMigrations } = await import('${new URL('../prisma/migrate/schema-engine.ts', import.meta.url)}')
    await applyMigrations(process.argv[1], [${JSON.stringify(slow)}])
  `,
    database.url,
  ]);
  await vi.waitFor(async () => {
    const { rowCount } = await pool.query(
      `select from pg_locks where locktype = 'advisory' and objid = 7 and not granted`,
    );
    expect(rowCount).toBe(1);
  }, 20_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  holder.release(true); // the lock goes with the connection

  // The server notices when it has the lock. The next process must wait for that, and find nothing applied.
  expect(await applyMigrations(database.url, [slow])).toEqual(['1_slow']);
  const { rows } = await pool.query(
    `select finished_at is not null as finished, rolled_back_at is not null as "rolledBack" from _prisma_migrations
     order by started_at`,
  );
  expect(rows).toEqual([
    { finished: false, rolledBack: true },
    { finished: true, rolledBack: false },
  ]);
});

async function migrateInProcess(url: string): Promise<{ applied: string[]; engine: boolean }> {
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', program, url]);
  return JSON.parse(stdout);
}

const program = `
  import { registerHooks } from 'node:module'
  let engine = false
  registerHooks({ load(url, context, next) { engine ||= url.includes('/schema-engine-wasm/'); return next(url, context) } })
  const { migrate } = await import('${new URL('../prisma/migrate/migrate.ts', import.meta.url)}')
  console.log(JSON.stringify({ applied: await migrate(process.argv[1]), engine }))
`;
