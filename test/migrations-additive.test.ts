import { Client } from 'pg';
import { expect, it } from 'vitest';
import { migrations } from '../prisma/migrate.ts';
import { applyMigrations } from '../prisma/schema-engine.ts';
import { createEmptyDatabase } from './harness.ts';

// While a new version migrates, processes of the previous version still read and write. So a migration removes nothing, and
// adds no requirement to rows of existing tables. Such a change takes two versions: first the code stops using the old
// schema, then a migration changes it.

/** Migrations that broke this rule before the first release. Don't add new ones. */
const exceptions: Record<string, Record<string, string>> = {
  '20261121064717_overview': {
    'payments.currency must be given': 'Nothing could be told of payments in many currencies; no release was out.',
  },
  '20261121071500_isolation': {
    'every table is behind row-level security':
      'The role has to change with it: CHANGELOG.md says to stop the version before.',
  },
};

/**
 * Migrations with CHECKs of rules that every previous version enforces itself before a write, so its processes keep
 * working. The CHECKs reject only concurrent writes that evade these rules. They are not validated for old rows.
 */
const knownRules = new Set([
  '20261122033000_checks_of_one_row',
  '20261122165653_customer_details', // of new columns, which previous versions leave empty
  '20261122171547_line_details', // of new columns, which previous versions leave empty
  '20261123214705_company_addresses', // of new columns, which previous versions leave empty
  '20261122204600_credit_notes', // of new columns, which previous versions leave empty or zero
]);

/** Tables, columns with types, and enum values. */
const things = `
  select c.relname as thing from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  union all
  select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  union all
  select t.typname || ' ' || e.enumlabel from pg_enum e join pg_type t on t.oid = e.enumtypid
  where t.typnamespace = 'public'::regnamespace`;

/** Requirements on a row by table, with the columns of unique indexes and foreign keys. */
const demands = `
  select c.relname as table, c.relname || '.' || a.attname || ' must be given' as demand, array[]::text[] as columns,
    false as "isUncheckedCheck"
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnotnull and not a.atthasdef
  union all
  select c.relname, 'constraint ' || k.conname, array(
    select a.attname::text from pg_attribute a
    where k.contype = 'f' and a.attrelid = c.oid and a.attnum = any (k.conkey)
  ), k.contype = 'c' and not k.convalidated from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = 'public'::regnamespace and k.contype <> 'n'
    and not (k.contype = 't' and k.conname like 'record\\_%') -- triggers that only record
  union all
  select c.relname, 'unique index ' || x.indexrelid::regclass, array(
    select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any (x.indkey)
  ), false from pg_index x join pg_class c on c.oid = x.indrelid
  where c.relnamespace = 'public'::regnamespace and x.indisunique
  union all
  select c.relname, 'every table is behind row-level security', '{}', false from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relrowsecurity`;

interface Demand {
  table: string;
  demand: string;
  columns: string[];
  /** Whether it is a CHECK that is not validated for old rows. */
  isUncheckedCheck: boolean;
}

it('a migration removes nothing, and adds no requirement to existing tables', async () => {
  const database = await createEmptyDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const look = async () => {
    const there = (await client.query<{ thing: string }>(things)).rows.map(({ thing }) => thing);
    return { there, demanded: (await client.query<Demand>(demands)).rows };
  };
  const all = await migrations();
  const found: Record<string, string[]> = {};
  let before = await look();
  for (const [index, { name }] of all.entries()) {
    await applyMigrations(database.url, all.slice(0, index + 1));
    const after = await look();
    const wasThere = (start: string): boolean => before.there.some((thing) => thing.startsWith(start));
    const gone = before.there.filter((thing) => !after.there.includes(thing)).map((thing) => `${thing} is gone`);
    const demanded = after.demanded
      .filter(
        ({ table, demand }) => before.there.includes(table) && !before.demanded.some((old) => old.demand === demand),
      )
      .filter(({ isUncheckedCheck }) => !(isUncheckedCheck && knownRules.has(name)))
      .filter(({ table, columns }) => columns.every((column) => wasThere(`${table}.${column} `))) // else null in old rows
      .map(({ demand }) => demand);
    const violations = new Set([...gone, ...demanded]);
    if (violations.size > 0) found[name] = [...violations];
    before = after;
  }
  await client.end();
  await database.drop();
  expect(found).toEqual(Object.fromEntries(Object.entries(exceptions).map(([name, why]) => [name, Object.keys(why)])));
});
