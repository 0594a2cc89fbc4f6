import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { backUp } from '../../src/backup/backup.ts';
import { createDatabase, type Database } from '../harness.ts';

// While a backup is written, no migration may change tables. But what needs no migration, as most starts do, goes on.

let database: Database;
let client: Client;
let folder: string;

beforeEach(async () => {
  database = await createDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  folder = await mkdtemp(join(tmpdir(), 'kontor-beside-'));
});
afterEach(async () => {
  await client.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** A backup that goes on until it may end. */
async function beginBackup(name: string): Promise<{ end(): Promise<void> }> {
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const written = backUp({
    superuserUrl: database.url,
    secret: 'the secret of the tests, long enough',
    passphrase: 'correct horse battery',
    file: join(folder, name),
    files: { read: async () => undefined },
    onMissing: () => {},
    onSnapshot: async () => {
      begun.resolve();
      await mayEnd.promise;
    },
  });
  await Promise.race([begun.promise, written]);
  return {
    end: async () => {
      mayEnd.resolve();
      await written;
    },
  };
}

/** The migration of a start, and its lines. */
function start(): { told: string[]; isDone: () => boolean; done: Promise<string[]> } {
  const told: string[] = [];
  let isDone = false;
  const done = migrate(database.url, (line) => void told.push(line)).finally(() => (isDone = true));
  return { told, isDone: () => isDone, done };
}

it('a start with nothing to do does not wait for a backup, also when several start at once', async () => {
  const backup = await beginBackup('one');
  const starts = [1, 2, 3].map(() => start());
  await expect.poll(() => starts.every(({ isDone }) => isDone()), { timeout: 5000 }).toBe(true);
  await backup.end();
  expect(await Promise.all(starts.map(({ done }) => done))).toEqual([[], [], []]);
  expect(starts.flatMap(({ told }) => told)).toEqual([]);
});

it('a start that has to change the database waits for the backup, says so, and goes before the next backup', async () => {
  const isDeclared = async (): Promise<boolean> =>
    (
      await client.query(
        `select from pg_proc where oid = 'numeric_eq(numeric, numeric)'::regprocedure and proleakproof`,
      )
    ).rowCount === 1;
  await client.query('alter function numeric_eq(numeric, numeric) not leakproof');
  const first = await beginBackup('one');
  const starts = [start(), start()];
  await expect.poll(() => starts.every(({ told }) => told.length > 0), { timeout: 5000 }).toBe(true);
  expect(starts.flatMap(({ told }) => told)).toContainEqual(
    expect.stringMatching(/^migrations wait for process \d+ \(user \w+, kontor backup, [\w ]+\)$/),
  );
  let hasBegun = false;
  const second = beginBackup('two').finally(() => (hasBegun = true));
  await sleep(500);
  expect([hasBegun, await isDeclared()]).toEqual([false, false]);

  // The second start needs nothing after the first: it doesn't wait for the second backup, whichever of them is first.
  await first.end();
  expect(await Promise.all(starts.map(({ done }) => done))).toEqual([[], []]);
  expect(await isDeclared()).toBe(true);
  await (await second).end();
});

it('a start waits while a migration of the queue is missing', async () => {
  const newest = '(select max(id) from graphile_worker.migrations)';
  await client.query(`delete from graphile_worker.migrations where id = ${newest}`);
  const backup = await beginBackup('one');
  const { told, done } = start();
  await expect.poll(() => told, { timeout: 5000 }).toHaveLength(1);
  await backup.end();
  await done;
});

it('a start that waits goes on once another process has done what it needs', async () => {
  await client.query('alter function numeric_eq(numeric, numeric) not leakproof');
  const backup = await beginBackup('one');
  const { told, isDone, done } = start();
  await expect.poll(() => told, { timeout: 5000 }).toHaveLength(1);
  await client.query('alter function numeric_eq(numeric, numeric) leakproof');
  await expect.poll(isDone, { timeout: 5000 }).toBe(true);
  expect(await done).toEqual([]);
  await backup.end();
});
