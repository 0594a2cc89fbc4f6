import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commitBeforeBaseline, underBaseline } from '../../prisma/migrate/before-baseline.ts';
import { migrate, migrations, pendingMigrations } from '../../prisma/migrate/migrate.ts';
import { planPending, readStatus } from '../../prisma/migrate/migration-status.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { createEmptyDatabase, type Database } from '../harness.ts';
import { describeSchema } from './describe-schema.ts';

// The baseline took the place of the migrations from before 1.0.0, which made the same schema. before-baseline.json has their
// names and checksums.

const earlier = JSON.parse(readFileSync(new URL('before-baseline.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;
const earlierNames = Object.keys(earlier);
const names = (await migrations()).map(({ name }) => name);
const [baseline = '', ...others] = names;
const refusal = new Error(
  `This database is from before 1.0.0. Run migrate of Kontor's commit ${commitBeforeBaseline} first, then of this version.`,
);
const record =
  'select checksum, applied_steps_count, logs, rolled_back_at from _prisma_migrations where migration_name = $1';

let database: Database;
let url: string;
let pool: ConnectionPool;

beforeEach(async () => {
  database = await createEmptyDatabase();
  ({ url } = database);
  pool = new ConnectionPool({ connectionString: url });
  pool.on('error', () => {});
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

const describe = async (): Promise<string[]> => {
  const client = await pool.connect();
  const schema = await describeSchema(client as unknown as Client);
  client.release();
  return schema;
};

/** Makes the database one with these migrations, all of them finished. @returns Prisma's record of the baseline */
async function makeEarlier(applied: Record<string, string> = earlier): Promise<unknown[]> {
  await migrate(url, undefined, { last: baseline });
  const { rows } = await pool.query(record, [baseline]);
  await pool.query('delete from _prisma_migrations');
  await pool.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     select gen_random_uuid(), value, key, now(), 1 from json_each_text($1)`,
    [JSON.stringify(applied)],
  );
  return rows;
}

it('a database with the last migrations from before the baseline is marked, and goes on', async () => {
  const byPrisma = await makeEarlier();
  const before = await describe();
  expect(await readStatus(pool)).toMatchObject({ pending: names, ofLaterVersion: [] });
  expect((await planPending(pool))[0]).toEqual({ name: baseline, statements: [] });

  const told: string[] = [];
  expect(await migrate(url, (line) => told.push(line), { last: baseline })).toEqual([]);
  expect(told[0]).toBe('a database from before 1.0.0: it has the schema of the baseline');
  expect(await describe()).toEqual(before);
  expect((await pool.query(record, [baseline])).rows).toEqual(byPrisma);
  expect(await migrate(url)).toEqual(others);
  expect(await pendingMigrations(pool)).toEqual([]);
  // The way back: the version before finds its migrations.
  const { rows } = await pool.query(
    'select migration_name as name from _prisma_migrations where finished_at is not null order by 1',
  );
  expect(rows.map(({ name }) => name)).toEqual([...earlierNames, ...names]);
  expect(await readStatus(pool)).toMatchObject({ pending: [], ofLaterVersion: [] });
});

it('of two processes that start at once on such a database, one marks it', async () => {
  await makeEarlier();
  const told: string[] = [];
  await Promise.all([1, 2].map(() => migrate(url, (line) => told.push(line))));
  expect(told.filter((line) => line.includes('baseline'))).toHaveLength(1);
  expect((await pool.query(record, [baseline])).rowCount).toBe(1);
});

it('an older database is refused with the commit to pass through, and so is the plan for it', async () => {
  await makeEarlier(Object.fromEntries(Object.entries(earlier).slice(0, -1)));
  await expect(migrate(url)).rejects.toThrow(refusal);
  await expect(planPending(pool)).rejects.toThrow(refusal);
  expect(await pendingMigrations(pool)).toEqual(names);

  // So is one with another migration, and one whose last migration failed.
  const [last = ''] = earlierNames.slice(-1);
  const insert = `insert into _prisma_migrations (id, checksum, migration_name, applied_steps_count, finished_at)
    values (gen_random_uuid(), $2, $1, 1, now())`;
  await pool.query(insert, [last, 'another checksum']);
  await expect(migrate(url)).rejects.toThrow(refusal);
  await pool.query('update _prisma_migrations set checksum = $2, finished_at = null where migration_name = $1', [
    last,
    earlier[last],
  ]);
  await expect(migrate(url)).rejects.toThrow(refusal);
  await pool.query('update _prisma_migrations set finished_at = now() where migration_name = $1', [last]);
  expect(await migrate(url)).toEqual(others);
});

it('a backup of such a database is one of the baseline', () => {
  expect(underBaseline(earlierNames)).toEqual([baseline]);
  expect(underBaseline([...earlierNames, ...names])).toEqual(names);
  expect(underBaseline(names)).toEqual(names);
  expect(underBaseline(earlierNames.slice(1))).toEqual(earlierNames.slice(1));
});
