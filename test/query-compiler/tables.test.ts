import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tables } from '../../prisma/tables.ts';
import { createDatabase, type Database } from '../harness.ts';

let database: Database;
let client: Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('each model has the columns, types and primary key that its table has', async () => {
  const { rows } = await client.query(
    `select table_name as table, column_name as column, is_nullable = 'YES' as nullable,
       case when data_type = 'USER-DEFINED' then udt_name end as enumeration
     from information_schema.columns where table_schema = 'public' and table_name <> '_prisma_migrations' and table_name !~ '^citus_'`,
  );
  const known = [...tables.values()].flatMap(({ table, fields }) =>
    [...fields.values()]
      .filter((field) => field.kind === 'column')
      .map(({ column, nullable, isList, enumeration }) => ({
        table,
        column,
        nullable: nullable || isList, // Prisma makes a list's column nullable, and reads an empty one
        enumeration: enumeration?.type ?? null,
      })),
  );
  const inOrder = (all: typeof known) =>
    all.toSorted((a, b) => `${a.table}.${a.column}`.localeCompare(`${b.table}.${b.column}`));
  expect(inOrder(known)).toEqual(inOrder(rows));
  const keys = await client.query(
    `select relname as table, array_agg(attname::text order by array_position(conkey, attnum)) as columns
     from pg_constraint join pg_class on pg_class.oid = conrelid join pg_attribute on attrelid = conrelid and attnum = any (conkey)
     where contype = 'p' and connamespace = 'public'::regnamespace and relname <> '_prisma_migrations' group by relname`,
  );
  expect(new Map(keys.rows.map(({ table, columns }) => [table, columns]))).toEqual(
    new Map([...tables.values()].map(({ table, primaryKey }) => [table, primaryKey.map(({ column }) => column)])),
  );
});

it('a relation joins the columns of its foreign key, from either side', async () => {
  const { rows } = await client.query(
    `select conrelid::regclass::text as "from", confrelid::regclass::text as "to",
       (select array_agg(attname::text order by n) from unnest(conkey) with ordinality as k(attnum, n)
          join pg_attribute on attrelid = conrelid and pg_attribute.attnum = k.attnum) as here,
       (select array_agg(attname::text order by n) from unnest(confkey) with ordinality as k(attnum, n)
          join pg_attribute on attrelid = confrelid and pg_attribute.attnum = k.attnum) as there
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
  const keys = new Set(
    rows.flatMap(({ from, to, here, there }) => [
      JSON.stringify([from, here, to, there]),
      JSON.stringify([to, there, from, here]),
    ]),
  );
  const joins = [...tables.values()].flatMap(({ table, fields }) =>
    [...fields.values()]
      .filter((field) => field.kind === 'relation')
      .map(({ model, here, there }) =>
        JSON.stringify([
          table,
          here.map(({ column }) => column),
          tables.get(model)?.table,
          there.map(({ column }) => column),
        ]),
      ),
  );
  expect(joins.length).toBeGreaterThan(30);
  expect(joins.filter((join) => !keys.has(join))).toEqual([]);
});
