import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrations } from '../prisma/migrate/migrate.ts';
import { applyMigrations, concurrentIndex } from '../prisma/migrate/schema-engine.ts';
import { createEmptyDatabase } from './harness.ts';

// While a new version migrates, processes of the previous version read and write. A statement that locks a large table and
// reads all of it makes them wait for minutes. So a migration either locks large tables or reads them, not both.

/** Tables with few rows per tenant, which may be locked and read. */
const small = [
  'tenants',
  'users',
  'memberships',
  'api_tokens',
  'trusted_documents',
  'sessions',
  'invitations',
  'workers',
  'companies',
  'company_logos',
  'webhooks',
  'invoice_sequences',
  'credit_note_sequences',
  '_prisma_migrations',
];

let url: string;
let drop: () => Promise<void>;
let client: Client;

beforeAll(async () => {
  const database = await createEmptyDatabase();
  ({ url, drop } = database);
  client = new Client({ connectionString: url });
  await client.connect();
  await applyMigrations(url, (await migrations()).slice(0, 1));
});

afterAll(async () => {
  await client.end();
  await drop();
});

/** The large tables that a script locks against writes, and those that it reads. Undoes the script. */
async function lookAt(script: string): Promise<{ locks: string[]; reads: string[] }> {
  const large = `select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> all ($1)`;
  const { rows: found } = await client.query<{ oid: number }>(large, [small]);
  const tables = found.map(({ oid }) => oid);
  const countReads = async (): Promise<Map<string, number>> => {
    const { rows } = await client.query<{ name: string; reads: number }>(
      `select relname as name, (seq_scan + coalesce(idx_scan, 0))::int as reads from pg_stat_xact_user_tables
       where relid = any ($1::oid[]) order by 1`,
      [tables],
    );
    return new Map(rows.map(({ name, reads }) => [name, reads]));
  };
  await client.query('begin');
  try {
    const before = await countReads(); // PostgreSQL has not counted those of earlier transactions yet
    await client.query(script);
    const after = await countReads();
    const locks = await client.query<{ name: string }>(
      `select distinct relation::regclass::text as name from pg_locks
       where pid = pg_backend_pid() and relation = any ($1::oid[])
         and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') order by 1`,
      [tables],
    );
    const reads = [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
    return { locks: locks.rows.map(({ name }) => name), reads };
  } finally {
    await client.query('rollback');
  }
}

const isLong = ({ locks, reads }: Awaited<ReturnType<typeof lookAt>>): boolean => locks.length > 0 && reads.length > 0;

it('no migration after the baseline locks large tables while it reads them', async () => {
  const all = await migrations();
  const long: Record<string, unknown> = {};
  for (const [index, { name, script }] of all.entries()) {
    if (index === 0) continue; // makes the tables
    if (concurrentIndex(script) === undefined) {
      const seen = await lookAt(script);
      if (isLong(seen)) long[name] = seen;
    }
    await applyMigrations(url, all.slice(0, index + 1));
  }
  expect(long).toEqual({});
});

it.each([
  ['an index', 'create index on invoices (tenant_id, subject)'],
  [
    'a column whose default is computed for each row',
    'alter table invoices add column random uuid default gen_random_uuid()',
  ],
  ['another type', 'alter table invoice_items alter column title type varchar(1000)'],
  ['a column that must be given', 'alter table invoices alter column subject set not null'],
  ['a CHECK of all rows', `alter table invoices add constraint named check (subject <> '')`],
  ['a foreign key of all rows', 'alter table invoices add foreign key (tenant_id) references tenants (id)'],
  [
    'rows written under a lock',
    'alter table customers no force row level security; update customers set phone = null; alter table customers force row level security',
  ],
])('%s would lock for long', async (_what, script) => {
  expect(isLong(await lookAt(script))).toBe(true);
});

it.each([
  ['a column with a constant default', 'alter table invoices add column wanted boolean not null default false'],
  ['a CHECK of new rows', `alter table invoices add constraint named check (subject <> '') not valid`],
  ['the validation of a CHECK', 'alter table invoices validate constraint invoices_unchecked'],
  ['a trigger', 'create trigger again after insert on invoices for each row execute function freeze_parties()'],
  ['a dropped index', 'drop index invoices_due_idx'],
  ['rows written without a lock', `update customers set phone = null where phone = ''`],
  [
    'a new table that refers to a large one',
    `create table reminders (
       tenant_id uuid, id uuid, invoice_id uuid, primary key (tenant_id, id),
       foreign key (tenant_id, invoice_id) references invoices (tenant_id, id)
     );
     create index on reminders (tenant_id, invoice_id)`,
  ],
])('%s does not', async (_what, script) => {
  await client.query('alter table invoices drop constraint if exists invoices_unchecked');
  await client.query(
    'alter table invoices add constraint invoices_unchecked check (due_date > invoice_date) not valid',
  );
  expect(isLong(await lookAt(script))).toBe(false);
});

it('an index of a large table is built concurrently, by a migration of one statement', async () => {
  const script = '-- Why.\n\ncreate index concurrently invoices_by_subject on invoices (tenant_id, subject);\n';
  expect(concurrentIndex(script)).toBe('invoices_by_subject');
  expect(concurrentIndex(`${script} select 1;`)).toBeUndefined();
  const all = [...(await migrations()), { name: '99991231000000_index', script }];
  // An index that a killed process leaves behind.
  await client.query('create index invoices_by_subject on invoices (id)');
  await applyMigrations(url, all);
  const { rows } = await client.query(
    `select pg_get_indexdef(indexrelid) as definition, indisvalid as valid from pg_index
     where indexrelid = 'invoices_by_subject'::regclass`,
  );
  expect(rows).toEqual([
    { definition: 'CREATE INDEX invoices_by_subject ON public.invoices USING btree (tenant_id, subject)', valid: true },
  ]);
  expect(await applyMigrations(url, all)).toEqual([]);
});
