import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyMigrations } from '../prisma/migrate/schema-engine.ts';
import { lockLimits } from '../prisma/connection/lock-waits.ts';
import { createEmptyDatabase, type Database } from './harness.ts';

// A migration that waits for a lock holds up all others who need the table after it. So it gives up soon, and tries again.

const made = { name: '1_made', script: 'create table notes (id int, text text); create table others (id int)' };
const altered = {
  name: '2_altered',
  script: 'alter table others add column a int; alter table notes add column a int',
};
const indexed = { name: '2_indexed', script: 'create index concurrently notes_text on notes (text)' };

let database: Database;
let reader: Client;
let other: Client;

async function connect(program: string): Promise<Client> {
  const client = new Client({ connectionString: database.url, application_name: program });
  await client.connect();
  return client;
}

beforeEach(async () => {
  database = await createEmptyDatabase();
  await applyMigrations(database.url, [made]);
  [reader, other] = [await connect('a dump'), await connect('a request')];
});
afterEach(async () => {
  await reader.end();
  await other.end();
  await database.drop();
});

const read = (): Promise<unknown> => reader.query('begin isolation level repeatable read; select from notes');

it('a migration behind a long reader lets others pass between its tries, and is applied in the end', async () => {
  await read();
  const reports: string[] = [];
  const limits = { ...lockLimits, waitMs: 1200, firstPauseMs: 200 };
  let isDone = false;
  const done = applyMigrations(database.url, [made, altered], { report: (line) => void reports.push(line), limits });
  const ended = done.finally(() => (isDone = true));
  // Each waits while the migration does. Those of the other table wait as well: the migration holds its lock meanwhile.
  for (let passed = 0; passed < 20 || reports.length === 0; passed += 1) {
    await other.query('select from notes');
    await other.query('select from others');
    await sleep(50);
    expect(isDone).toBe(false);
  }
  await reader.query('rollback');
  expect(await ended).toEqual(['2_altered']);
  expect(reports).toEqual([
    expect.stringMatching(
      /^migration 2_altered waits for process \d+ \(user \w+, a dump, idle in transaction\): its query began at 20\d\d-\d\d-\d\dT[\d:]+Z, \d+ s ago, its transaction \d+ s ago$/,
    ),
  ]);
  expect((await other.query('select a from notes union select a from others')).fields).toHaveLength(1);
});

it('one that finds no moment gives up, changes nothing, and says in one line who blocks it', async () => {
  await read();
  const limits = { waitMs: 400, totalMs: 1000, firstPauseMs: 100, longestPauseMs: 100 };
  const { pid } = (await reader.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!;
  const failed: unknown = await applyMigrations(database.url, [made, altered], { limits }).catch(
    (error: unknown) => error,
  );
  expect((failed as Error).message).toMatch(
    new RegExp(
      `^migration 2_altered found no moment without other locks for \\d+ s and changed nothing\\. It waits for process ${pid} \\(user \\w+, a dump, idle in transaction\\): its query began at \\S+, \\d+ s ago, its transaction \\d+ s ago\\. Run migrate again when that has ended$`,
    ),
  );
  expect((await other.query('select * from others')).fields).toHaveLength(1);
  await reader.query('rollback');
  expect(await applyMigrations(database.url, [made, altered])).toEqual(['2_altered']);
});

it('an index is built concurrently: it waits for a long reader, but nobody waits for it; one left invalid is built anew', async () => {
  await read();
  const limits = { ...lockLimits, totalMs: 700 };
  const ended: Promise<unknown> = applyMigrations(database.url, [made, indexed], { limits }).catch(
    (error: unknown) => error,
  );
  const isInvalid = async (): Promise<boolean> =>
    (await other.query(`select from pg_index where indexrelid = to_regclass('notes_text') and not indisvalid`))
      .rowCount === 1;
  await expect.poll(isInvalid).toBe(true);
  await other.query(`insert into notes values (1, 'x'); update notes set text = 'y'`);
  expect(String(await ended)).toMatch(/migration 2_indexed found no moment .* a dump/);
  expect(await isInvalid()).toBe(true);
  await reader.query('rollback');
  expect(await applyMigrations(database.url, [made, indexed])).toEqual(['2_indexed']);
  expect(await isInvalid()).toBe(false);
  const { rows } = await other.query(
    'select migration_name as name, logs from _prisma_migrations where finished_at is not null order by 1',
  );
  expect(rows.map(({ name }) => name)).toEqual(['1_made', '2_indexed']);
});
