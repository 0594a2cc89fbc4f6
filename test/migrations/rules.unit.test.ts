import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseBackfill, readBackfills } from '../../prisma/migrate/backfills.ts';
import { migrations } from '../../prisma/migrate/migrate.ts';
import { History, readEffects } from '../../prisma/migrate/statement-effects.ts';

// CONTRIBUTING.md#migrations: what a migration may do while the version before reads and writes.

/** @returns the rules that each migration after the baseline breaks */
async function findBroken(): Promise<Record<string, string[]>> {
  const history = new History();
  const found: Record<string, string[]> = {};
  for (const [index, { name, script }] of (await migrations()).entries()) {
    const broken = new Set((await readEffects(script, history)).flatMap((each) => each.broken));
    if (index > 0 && broken.size > 0) found[name] = [...broken].toSorted();
  }
  return found;
}

it('migrations after the baseline keep the rules, but for those that are listed with a reason', async () => {
  const file = new URL('exceptions.json', import.meta.url);
  const listed = JSON.parse(await readFile(file, 'utf8')) as Record<string, { reason: string; rules: string[] }>;
  expect(await findBroken()).toEqual(
    Object.fromEntries(Object.entries(listed).map(([name, { rules }]) => [name, rules])),
  );
  for (const { reason } of Object.values(listed)) expect(reason).not.toBe('');
});

const brokenBy = async (script: string): Promise<string[]> =>
  (await readEffects(script)).flatMap((each) => each.broken);

it.each([
  ['create index on invoices (tenant_id, subject)', 'index under a lock'],
  ['create unique index "a" on "invoices" (tenant_id)', 'index under a lock'],
  ['alter table invoices add unique (tenant_id, subject)', 'index under a lock'],
  ['alter table invoices add column code text unique', 'index under a lock'],
  ['alter table invoices add column code text not null', 'column without a value'],
  ['alter table invoices add column code uuid default gen_random_uuid()', 'computed column'],
  ['alter table invoices add column code numeric generated always as (total_net * 2) stored', 'computed column'],
  ['alter table invoices add column code bigserial', 'computed column'],
  ['alter table invoices add column code int generated always as identity', 'computed column'],
  ['alter table invoices alter column subject type varchar(100)', 'type changed'],
  ['alter table invoices alter subject set not null', 'not null unchecked'],
  [`alter table invoices add constraint named check (subject <> '')`, 'constraint of all rows'],
  [`alter table invoices add column code text check (code <> '')`, 'constraint of all rows'],
  ['alter table invoices add foreign key (tenant_id) references tenants', 'constraint of all rows'],
  ['alter table public.invoices drop column subject', 'removed'],
  ['drop table invoices, customers', 'removed'],
  ['alter table invoices rename column subject to title', 'renamed'],
  ['alter table invoices rename to bills', 'renamed'],
  ['update invoices set subject = null', 'rows written'],
  ['with old as (select 1) update invoices set subject = null from old', 'rows written'],
  ['delete from invoices', 'rows written'],
  ['merge into invoices using customers on true when matched then delete', 'rows written'],
  ['lock table invoices', 'table locked'],
  ['truncate invoices', 'table locked'],
  ['cluster invoices', 'table locked'],
  ['alter table invoices set unlogged', 'table locked'],
  [`do $$ begin execute 'update invoices set subject = null'; end $$`, 'hidden'],
  ['do $$ begin create index on invoices (subject); end $$', 'hidden'],
])('refused: %s', async (script, rule) => {
  expect(await brokenBy(script)).toEqual([rule]);
});

it.each([
  'create index concurrently on invoices (tenant_id, subject)',
  'alter table invoices add column code text',
  `alter table invoices add column code text not null default 'x'::text`,
  'alter table invoices add column at timestamptz(3) not null default current_timestamp',
  'alter table invoices add column twice numeric generated always as (total_net * 2) virtual',
  `alter table invoices add constraint named check (subject <> '') not valid`,
  'alter table invoices validate constraint named',
  'alter table invoices drop constraint named',
  'alter table invoices alter column subject drop not null',
  'create table notes (id uuid primary key, invoice_id uuid references invoices); create index on notes (invoice_id)',
  'create table notes (id uuid); alter table notes add column text text not null; drop table notes; update notes set id = null',
  'drop index invoices_due_idx',
  'create trigger again after insert on invoices for each row execute function freeze_parties()',
  `select isolate('notes')`,
  "do $$ begin execute format('alter function audit() set search_path = %I', current_schema()); end $$",
])('allowed: %s', async (script) => {
  expect(await brokenBy(script)).toEqual([]);
});

it('a column is made not null after a check of it was validated in an earlier migration', async () => {
  const history = new History();
  const broken = async (script: string) => (await readEffects(script, history)).flatMap((each) => each.broken);
  const setNotNull = 'alter table invoices alter column subject set not null';
  expect(await broken('alter table invoices add constraint given check (subject is not null) not valid')).toEqual([]);
  expect(await broken(setNotNull)).toEqual(['not null unchecked']);
  expect(await broken('alter table invoices validate constraint given')).toEqual([]);
  expect(await broken(setNotNull)).toEqual([]);
  expect(await broken('alter table invoices alter column currency set not null')).toEqual(['not null unchecked']);
});

it('a constraint is not validated under a lock of the same migration', async () => {
  const add = `alter table invoices add constraint named check (subject <> '') not valid`;
  expect(await brokenBy(`${add}; alter table invoices validate constraint named`)).toEqual(['validated under a lock']);
});

it('each statement has its locks, and whether it writes or reads the whole table', async () => {
  const script = `-- Why.
    alter table invoices
      add column code text; -- ä
    create index concurrently on customers (tenant_id, city);
    alter table invoices alter column subject type varchar(100);
    alter table payments add constraint named foreign key (tenant_id) references tenants not valid;
    select audit('projects', 'project');
    create type mood as enum ('good')`;
  const kept = { rewrites: false, reads: false, broken: [] };
  expect(await readEffects(script)).toEqual([
    {
      statement: 'alter table invoices add column code text',
      locks: [{ table: 'invoices', mode: 'ACCESS EXCLUSIVE' }],
      ...kept,
    },
    {
      statement: 'create index concurrently on customers (tenant_id, city)',
      locks: [{ table: 'customers', mode: 'SHARE UPDATE EXCLUSIVE' }],
      ...kept,
      reads: true,
    },
    {
      statement: 'alter table invoices alter column subject type varchar(100)',
      locks: [{ table: 'invoices', mode: 'ACCESS EXCLUSIVE' }],
      rewrites: true,
      reads: true,
      broken: ['type changed'],
    },
    {
      statement: 'alter table payments add constraint named foreign key (tenant_id) references tenants not valid',
      locks: [
        { table: 'payments', mode: 'SHARE ROW EXCLUSIVE' },
        { table: 'tenants', mode: 'SHARE ROW EXCLUSIVE' },
      ],
      ...kept,
    },
    {
      statement: `select audit('projects', 'project')`,
      locks: [{ table: 'projects', mode: 'SHARE ROW EXCLUSIVE' }],
      ...kept,
    },
    { statement: `create type mood as enum ('good')`, locks: [], ...kept },
  ]);
});

describe('backfill.sql', () => {
  const keys = /\swhere tenant_id = \$1 and id > \$2 and id <= \$3\b/;

  it('is one UPDATE of a range of a tenant’s rows', async () => {
    const wrong = (await readBackfills()).filter(({ statement }) => !keys.test(statement.replaceAll(/\s+/g, ' ')));
    expect(wrong).toEqual([]);
  });

  it('names its table', () => {
    const script =
      '-- Why.\nupdate invoices set code = number\nwhere tenant_id = $1 and id > $2 and id <= $3 and code is null;\n';
    expect(parseBackfill('1_code', script)).toMatchObject({ name: '1_code', table: 'invoices' });
    expect(() => parseBackfill('1_code', 'delete from invoices')).toThrow('The backfill of 1_code is no UPDATE');
  });
});
