import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { commitBeforeBaseline } from '../../prisma/before-baseline.ts';
import { migrate, migrations, pendingMigrations } from '../../prisma/migrate.ts';
import { ConnectionPool } from '../../prisma/connection.ts';
import { countedTables, wrongCounts } from '../counted-rows.ts';
import { createEmptyDatabase, type Database } from '../harness.ts';
import { describeSchema } from './describe-schema.ts';

// The baseline took the place of the migrations from before the first release. before-baseline.json has their names and
// checksums, and before-baseline.sql makes what they made otherwise.

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const earlier = JSON.parse(read('before-baseline.json')) as Record<string, string>;
const names = (await migrations()).map(({ name }) => name);
const refusal = new Error(
  `This database is from before the first release. Run migrate of Kontor's commit ${commitBeforeBaseline} first, then of this version.`,
);

let superuser: Client;
let database: Database;
let owner: string;
/** Of the owner, an ordinary role. */
let url: string;
let client: Client;

beforeEach(async () => {
  superuser = new Client({ connectionString: `${inject('serverUrl')}/postgres` });
  await superuser.connect();
  database = await createEmptyDatabase();
  owner = new URL(database.url).pathname.slice(1);
  await superuser.query(`create role ${owner} login password 'secret'; grant kontor_books to ${owner}`);
  await superuser.query(`alter database ${owner} owner to ${owner}`);
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`alter schema public owner to ${owner}`);
  url = Object.assign(new URL(database.url), { username: owner, password: 'secret' }).href;
});

afterEach(async () => {
  await client.end();
  await database.drop();
  await superuser.query(`revoke kontor_books from ${owner}; drop role ${owner}`);
  await superuser.end();
});

/** Makes the database one with these migrations, all of them finished. @returns how the baseline had made it */
async function makeEarlier(applied: Record<string, string> = earlier): Promise<string[]> {
  await migrate(url, undefined, { last: names[0] });
  const fresh = await describeSchema(client);
  await client.query(`set role ${owner}`);
  await client.query(read('before-baseline.sql'));
  await client.query('reset role');
  await client.query('delete from _prisma_migrations');
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     select gen_random_uuid(), value, key, now(), 1 from json_each_text($1)`,
    [JSON.stringify(applied)],
  );
  return fresh;
}

it('a database with the last migrations from before the baseline becomes as the baseline makes it', async () => {
  const fresh = await makeEarlier();
  expect(await describeSchema(client)).not.toEqual(fresh);
  const told: string[] = [];
  expect(await migrate(url, (line) => told.push(line), { last: names[0] })).toEqual([]);
  expect(told[0]).toBe('upgraded a database from before the first release');
  expect(await describeSchema(client)).toEqual(fresh);
  const { rows } = await client.query(
    'select migration_name as name, finished_at is not null as finished from _prisma_migrations',
  );
  expect(rows).toEqual([{ name: names[0], finished: true }]);
  expect(await migrate(url)).toEqual(names.slice(1));
});

it('its record of the baseline is the one that Prisma makes', async () => {
  const record =
    'select checksum, applied_steps_count, logs, rolled_back_at from _prisma_migrations where migration_name = $1';
  await migrate(url);
  const { rows } = await client.query(record, [names[0]]);
  await client.query('drop schema public cascade');
  await client.query(`create schema public authorization ${owner}`);
  await makeEarlier();
  await migrate(url);
  expect((await client.query(record, [names[0]])).rows).toEqual(rows);
});

it('its rows and their counts are kept, and counted on', async () => {
  await makeEarlier();
  const add = `insert into customers (tenant_id, id, type, company_name, updated_at)
    select tenant, gen_random_uuid(), 'customer', 'Löwen', now() from unnest($1::uuid[]) as tenant`;
  const tenants = Array.from({ length: 10 }, (_each, index) => `00000000-0000-7000-8000-00000000000${index % 2}`);
  await client.query(add, [tenants]);
  await client.query(
    `insert into stored_answers (tenant_id, request, body, answer, created_at) values ($1, '1', '2', '3', now())`,
    [tenants[0]],
  );
  await migrate(url);
  await client.query(add, [tenants]);
  await client.query(`update customers set type = 'supplier' where tenant_id = $1`, [tenants[0]]);
  expect((await client.query('select sum(rows)::int as rows from row_counts')).rows).toEqual([{ rows: 20 }]);
  for (const table of countedTables) expect((await client.query(wrongCounts(table))).rows).toEqual([]);
  expect((await client.query(`select response from stored_responses`)).rows).toEqual([{ response: Buffer.from('3') }]);
});

it('of two processes that start at once on such a database, one upgrades it', async () => {
  await makeEarlier();
  const told: string[] = [];
  await Promise.all([1, 2].map(() => migrate(url, (line) => told.push(line))));
  expect(told.filter((line) => line.startsWith('upgraded'))).toHaveLength(1);
});

it('before its upgrade, the baseline is pending', async () => {
  await makeEarlier();
  const pool = new ConnectionPool({ connectionString: url });
  expect(await pendingMigrations(pool)).toEqual(names);
  await pool.end();
});

it('an upgrade that fails leaves the database as it was, and is tried again', async () => {
  const fresh = await makeEarlier();
  await client.query('alter table stored_answers rename column answer to other');
  const before = await describeSchema(client);
  await expect(migrate(url)).rejects.toThrow('column "answer" does not exist');
  expect(await describeSchema(client)).toEqual(before);
  await client.query('alter table stored_answers rename column other to answer');
  await migrate(url, undefined, { last: names[0] });
  expect(await describeSchema(client)).toEqual(fresh);
});

it('an older database is refused with the commit to pass through', async () => {
  await makeEarlier(Object.fromEntries(Object.entries(earlier).slice(0, -1)));
  const before = await describeSchema(client);
  await expect(migrate(url)).rejects.toThrow(refusal);
  expect(await describeSchema(client)).toEqual(before);
});

it('so is one with other migrations', async () => {
  await makeEarlier({ ...earlier, '20261123223301_secret_check': 'another checksum' });
  await expect(migrate(url)).rejects.toThrow(refusal);
});

it('and one whose last migration failed', async () => {
  await makeEarlier();
  await client.query(`update _prisma_migrations set finished_at = null where migration_name like '%_secret_check'`);
  await expect(migrate(url)).rejects.toThrow(refusal);
});
