import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../harness.ts';

// Citus has rules for tables that are distributed by tenant_id. These tests check them on the migrated schema. Citus also
// has rules for statements: every-statement.ts checks these in each test.

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

const rows = async <Row extends object>(sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows;

/** The distributed tables: those of the books, for which row-level security is forced, and the outbox and the watchers. */
const books = `(select oid, relname, relforcerowsecurity from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace)`;
const names = (of: string, keys: string): string =>
  `array(select attname::text from unnest(${keys}) with ordinality as key(number, at)
     join pg_attribute on attrelid = ${of} and attnum = key.number order by at)`;

it('every table of the books has tenant_id, which is never null', async () => {
  const tables = await rows<{ table: string; good: boolean }>(
    `select relname as table, exists (
       select from pg_attribute where attrelid = books.oid and attname = 'tenant_id' and attnotnull
     ) as good from ${books} as books`,
  );
  expect(tables.length).toBeGreaterThan(10);
  expect(tables.filter(({ good }) => !good)).toEqual([]);
});

it('every primary key, unique constraint, and unique index of the books has tenant_id, the primary key first', async () => {
  const keys = await rows<{ table: string; key: string; columns: string[]; isPrimary: boolean }>(
    `select relname as table, indexrelid::regclass::text as key, indisprimary as "isPrimary",
       ${names('indrelid', 'indkey::int2[]')} as columns
     from pg_index join ${books} as books on books.oid = indrelid where indisunique or indisexclusion`,
  );
  const tables = new Set(keys.filter(({ isPrimary }) => isPrimary).map(({ table }) => table));
  expect(tables.size).toBe((await rows(`select from ${books} as books`)).length);
  expect(keys.filter(({ columns }) => !columns.includes('tenant_id'))).toEqual([]);
  expect(keys.filter(({ columns, isPrimary }) => isPrimary && columns[0] !== 'tenant_id')).toEqual([]);
});

it('every foreign key between tables of the books joins tenant_id to tenant_id; all others refer to tenants by it', async () => {
  const keys = await rows<{ key: string; from: string[]; to: string; toColumns: string[]; within: boolean }>(
    `select conname as key, ${names('conrelid', 'conkey')} as from, confrelid::regclass::text as to,
       ${names('confrelid', 'confkey')} as "toColumns", confrelid in (select oid from ${books} as books) as within
     from pg_constraint where contype = 'f' and conrelid in (select oid from ${books} as books)`,
  );
  expect(keys.some(({ within }) => within)).toBe(true);
  const at = keys.map(({ from, toColumns, within, ...key }) => {
    const tenant = from.indexOf('tenant_id');
    return { ...key, within, meets: tenant === -1 ? undefined : toColumns[tenant] };
  });
  expect(at.filter(({ within, meets }) => within && meets !== 'tenant_id')).toEqual([]);
  expect(at.filter(({ within, to, meets }) => !within && !(to === 'tenants' && meets === 'id'))).toEqual([]);
});

it('no table outside the books refers to them', async () => {
  const keys = await rows(
    `select conname from pg_constraint
     where contype = 'f' and confrelid in (select oid from ${books} as books)
       and conrelid not in (select oid from ${books} as books)`,
  );
  expect(keys).toEqual([]);
});

it('no foreign key has ON UPDATE CASCADE: write `onUpdate: NoAction` in schema.prisma', async () => {
  const keys = await rows<{ key: string; onUpdate: string; isValid: boolean }>(
    `select conname as key, confupdtype as "onUpdate", convalidated as "isValid" from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
  expect(keys.length).toBeGreaterThan(20);
  expect(keys.filter(({ onUpdate, isValid }) => onUpdate !== 'a' || !isValid)).toEqual([]);
});

it('the default of every tenant_id takes an empty setting for no tenant', async () => {
  const defaults = await rows<{ table: string; default: string }>(
    `select relname as table, pg_get_expr(adbin, adrelid) as default from ${books} as books
     join pg_attribute on attrelid = books.oid and attname = 'tenant_id'
     left join pg_attrdef on adrelid = books.oid and adnum = attnum
     where relforcerowsecurity`,
  );
  const expression = `(NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid`;
  expect(defaults.filter((each) => each.default !== expression)).toEqual([]);
});

it('no statement of a trigger names both a transition table and a table of the books', async () => {
  const functions = await rows<{ name: string; source: string; transitions: string[] }>(
    `select p.oid::regprocedure::text as name, prosrc as source, array_agg(t.name::text) as transitions
     from pg_trigger join pg_proc p on p.oid = tgfoid,
       lateral (values (tgnewtable), (tgoldtable)) as t (name)
     where t.name is not null group by p.oid`,
  );
  const tables = (await rows<{ relname: string }>(`select relname from ${books} as books`)).map((each) => each.relname);
  const mentions = (statement: string, candidates: string[]): boolean =>
    candidates.some((name) => new RegExp(`\\b${name}\\b`).test(statement));
  expect(functions.length).toBeGreaterThan(8);
  const both = functions.flatMap(({ name, source, transitions }) =>
    source
      .replaceAll(/--.*|'[^']*'/g, '')
      .split(/;|\b(?:begin|then|else|loop)\b/)
      .filter((statement) => mentions(statement, transitions) && mentions(statement, tables))
      .map((statement) => `${name}: ${statement.trim()}`),
  );
  expect(both).toEqual([]);
});

it('no UPDATE of a trigger calls a volatile function', async () => {
  const functions = await rows<{ name: string; source: string }>(
    `select distinct p.oid::regprocedure::text as name, prosrc as source
     from pg_trigger join pg_proc p on p.oid = tgfoid where not tgisinternal and pronamespace = 'public'::regnamespace`,
  );
  const volatile = new Set(
    (await rows<{ name: string }>(`select distinct proname as name from pg_proc where provolatile = 'v'`)).map(
      ({ name }) => name,
    ),
  );
  const calls = functions.flatMap(({ name, source }) =>
    [...source.matchAll(/\bupdate\s[^;]*?\sset\s[^;]*/g)]
      .flatMap(([update]) => [...update.matchAll(/(\w+)\s*\(/g)])
      .filter(([, called]) => volatile.has(called ?? ''))
      .map(([, called]) => `${name}: ${called}`),
  );
  expect(calls).toEqual([]);
});
