import { Client } from 'pg';
import { expect, it } from 'vitest';
import { migrations } from '../prisma/migrate/migrate.ts';
import { applyMigrations, type Migration } from '../prisma/migrate/schema-engine.ts';
import { createEmptyDatabase } from './harness.ts';

// While a new version migrates, processes of the previous version still read and write. So a migration removes nothing, and
// adds no requirement to rows of existing tables. Such a change takes two versions: first the code stops using the old
// schema, then a migration changes it.

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
  select c.relname as table, c.relname || '.' || a.attname || ' must be given' as demand, array[]::text[] as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnotnull and not a.atthasdef
  union all
  select c.relname, 'constraint ' || k.conname, array(
    select a.attname::text from pg_attribute a
    where k.contype = 'f' and a.attrelid = c.oid and a.attnum = any (k.conkey)
  ) from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = 'public'::regnamespace and k.contype <> 'n'
    and not (k.contype = 't' and k.conname like 'record\\_%') -- triggers that only record
  union all
  select c.relname, 'unique index ' || x.indexrelid::regclass, array(
    select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any (x.indkey)
  ) from pg_index x join pg_class c on c.oid = x.indrelid
  where c.relnamespace = 'public'::regnamespace and x.indisunique
  union all
  select c.relname, c.relname || ' is behind row-level security', '{}' from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relrowsecurity`;

interface Demand {
  table: string;
  demand: string;
  columns: string[];
}

/** Applies migrations one by one. @returns by name what each breaks for processes of the version before it */
async function findBroken(all: Migration[]): Promise<Record<string, string[]>> {
  const database = await createEmptyDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const look = async () => {
    const there = (await client.query<{ thing: string }>(things)).rows.map(({ thing }) => thing);
    return { there, demanded: (await client.query<Demand>(demands)).rows };
  };
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
      .filter(({ table, columns }) => columns.every((column) => wasThere(`${table}.${column} `))) // else null in old rows
      .map(({ demand }) => demand);
    const violations = new Set([...gone, ...demanded]);
    if (violations.size > 0) found[name] = [...violations].toSorted();
    before = after;
  }
  await client.end();
  await database.drop();
  return found;
}

/** By migration. The version before doesn't write the column: a migration of the same version adds it. */
const ofNewColumns: Record<string, string[]> = {
  '20261129091000_payment_external_id_key': ['unique index payments_tenant_id_external_id_key'],
};

it('a migration removes nothing, and adds no requirement to existing tables', async () => {
  expect(await findBroken(await migrations())).toEqual(ofNewColumns);
});

it('one that does is found', async () => {
  const baseline = (await migrations()).slice(0, 1);
  const scripts: Record<string, string> = {
    '99990000000001_a_column': 'alter table customers drop column phone',
    '99990000000002_a_type': 'alter table customers alter column postal_code type varchar(100)',
    '99990000000003_a_table': 'drop table unproven_documents',
    '99990000000004_a_value': `alter type match_status rename value 'ignored' to 'left_out'`,
    '99990000000005_must_be_given': 'alter table invoices alter column subject set not null',
    '99990000000006_a_new_one_must': 'alter table workers add column port int not null',
    '99990000000007_a_check': `alter table invoices add constraint named check (subject <> '') not valid`,
    '99990000000008_a_key':
      'alter table invoices add constraint of_tenant foreign key (tenant_id) references tenants not valid',
    '99990000000009_unique': 'create unique index one_subject on invoices (tenant_id, subject)',
    '99990000000010_isolated': `create policy tenant on workers to kontor_books using (true); alter table workers enable row level security`,
    '99990000000011_added': `create table notes (id uuid primary key); alter table customers add column note uuid references notes; create unique index on customers (note)`,
  };
  const all = Object.entries(scripts).map(([name, script]) => ({ name, script }));
  expect(await findBroken([...baseline, ...all])).toEqual({
    '99990000000001_a_column': ['customers.phone text is gone'],
    '99990000000002_a_type': ['customers.postal_code text is gone'],
    '99990000000003_a_table': [
      'unproven_documents is gone',
      ...[
        'id uuid',
        'is_credit_note boolean',
        'number text',
        'number_length integer',
        'tenant_id uuid',
        'year integer',
      ].map((column) => `unproven_documents.${column} is gone`),
    ],
    '99990000000004_a_value': ['match_status ignored is gone'],
    '99990000000005_must_be_given': ['invoices.subject must be given'],
    '99990000000006_a_new_one_must': ['workers.port must be given'],
    '99990000000007_a_check': ['constraint named'],
    '99990000000008_a_key': ['constraint of_tenant'],
    '99990000000009_unique': ['unique index one_subject'],
    '99990000000010_isolated': ['workers is behind row-level security'],
  });
});
