import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant, TenantPool } from '../../prisma/tenant/pool.ts';
import { onCluster } from '../citus/cluster.ts';
import { countedTables, wrongCounts } from '../counted-rows.ts';
import { listen } from '../isolation/statements.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeCustomer, makeInvoice, makePayment } from '../graphql/books.ts';

// Totals are added up from row counts (prisma/row-counts.ts), and must be what counting says: always.

let service: Service;
let tenants: Integrator[];

beforeAll(async () => {
  service = await startService();
  tenants = await Promise.all([service.integrator(), service.integrator()]);
  // Tallies are added up so often that those who do so meet.
  await service.pool.query(`drop trigger sum_row_counts on row_counts`);
  await service.pool.query(`create trigger sum_row_counts after insert on row_counts for each row
    when (random() < 0.5 and pg_trigger_depth() < 2) execute function sum_row_counts()`);
});
afterAll(() => service.close());

/** Where the row counts say otherwise than the rows do, in one snapshot. */
const faults = async (pool: Pick<Client, 'query'>): Promise<unknown[]> =>
  (await pool.query(countedTables.map(wrongCounts).join(' union all '))).rows;

// Changes that a transaction may make, as SQL: several rows at once, as imports write them.

const newId = 'gen_random_uuid()';
/** A new row of a table: its columns without the tenant, and its values for a number `n`. */
const newRows: [table: string, columns: string, values: (n: string) => string][] = [
  [
    'customers',
    'id, type, company_name, updated_at',
    (n) => `${newId}, (array['customer', 'supplier'])[1 + ${n} % 2]::customer_type, 'x', now()`,
  ],
  [
    'projects',
    'id, status, name, currency, updated_at',
    (n) => `${newId}, (array['active', 'completed', 'archived'])[1 + ${n} % 3]::project_status, 'x', 'EUR', now()`,
  ],
  [
    'receipts',
    'id, status, receipt_date, currency, amount_gross, vat_amount, amount_net, amount_paid, paid_at, updated_at',
    (n) => `${newId}, (array['draft', 'booked', 'paid'])[1 + ${n} % 3]::receipt_status, '2026-01-01', 'EUR', 1, 0, 1,
      case ${n} % 3 when 2 then 1 else 0 end, case ${n} % 3 when 2 then now() end, now()`,
  ],
  [
    'bank_transactions',
    'id, match_status, account_iban, booking_date, amount, currency, amount_open, updated_at',
    (
      n,
    ) => `${newId}, (array['unmatched', 'matched', 'ignored'])[1 + ${n} % 3]::match_status, 'x', '2026-01-01', 1, 'EUR',
      case ${n} % 3 when 1 then 0 else 1 end, now()`,
  ],
];

type Sql = (tenantId: string) => string;

/** Inserts `count` rows, or none. Citus takes only values under row-level security, and so at least one row. */
const inserting =
  ([table, columns, values]: (typeof newRows)[number], count: number): Sql =>
  (tenantId) => {
    const numbers = Array.from({ length: Math.max(count, 1) }, (_, at) => `('${tenantId}', ${values(`${at + 1}`)})`);
    const source = onCluster('a function as source')
      ? `values ${numbers.join(', ')}`
      : `select '${tenantId}', ${values('n')} from generate_series(1, ${count}) n`;
    return `insert into ${table} (tenant_id, ${columns}) ${source}`;
  };

/** Of the tenant, some rows of a table. */
const some = (table: string, share: number, tenantId: string): string =>
  `where tenant_id = '${tenantId}' and id in (select id from ${table}
     where tenant_id = '${tenantId}' and hashtext(id::text) % 10 < ${share} limit 20 for update skip locked)`;
const changes: [table: string, change: string][] = [
  ['customers', `update customers set type = 'supplier', city = 'Rome'`],
  ['projects', `update projects set status = 'archived'`],
  ['receipts', `update receipts set status = 'booked', amount_paid = 0, paid_at = null`],
  ['bank_transactions', `update bank_transactions set match_status = 'partially_matched', amount_open = 0.5`],
  ['customers', `update customers set city = 'Oslo'`],
  ['customers', 'delete from customers'],
  ['projects', 'delete from projects'],
  ['bank_transactions', 'delete from bank_transactions'],
];

const statement: fc.Arbitrary<Sql> = fc.oneof(
  fc.tuple(fc.constantFrom(...newRows), fc.integer({ min: 0, max: 30 })).map(([row, count]) => inserting(row, count)),
  fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -9, max: 9 })).map(
    ([[table, change], share]): Sql =>
      (tenantId) =>
        `${change} ${some(table, share, tenantId)}`,
  ),
);
type Transaction = typeof transaction extends fc.Arbitrary<infer Value> ? Value : never;
const transaction = fc.record({
  tenant: fc.nat(1),
  statements: fc.array(fc.record({ sql: statement, undone: fc.boolean() }), { minLength: 1, maxLength: 6 }),
  commits: fc.boolean(),
  pause: fc.nat(3),
});

describe('a total is exact', () => {
  it('under concurrent transactions that insert, update, delete, and roll back, while others compact the counts', async () => {
    const pool = new TenantPool({ connectionString: service.pool.options.connectionString, max: 8 });

    const run = async ({ tenant, statements, commits, pause }: Transaction): Promise<void> => {
      const { tenantId } = tenants[tenant]!;
      const client = await asTenant(tenantId, () => pool.connect());
      try {
        await client.query('begin');
        for (const { sql, undone } of statements) {
          await client.query('savepoint here');
          await client.query(sql(tenantId));
          if (undone) await client.query('rollback to here');
          await sleep(pause);
        }
        await client.query(commits ? 'commit' : 'rollback');
      } finally {
        client.release();
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(transaction, { maxLength: 5 }), { minLength: 2, maxLength: 8 }),
        async (all) => {
          const done = new AbortController();
          const watching = (async () => {
            const found: unknown[] = [];
            while (!done.signal.aborted) found.push(...(await faults(service.pool)));
            return found;
          })();
          await Promise.all(
            all.map(async (transactions) => {
              for (const each of transactions) await run(each);
            }),
          ).finally(() => done.abort());
          expect(await watching, 'while they ran').toEqual([]);
          expect(await faults(service.pool)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
    await pool.end();

    const [{ db }] = tenants as [Integrator];
    const { rows } = await service.pool.query(
      `select type::text, count(*)::int as count from customers where tenant_id = $1 group by 1`,
      [tenants[0]?.tenantId],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { type, count } of rows)
      expect(await db.customer.count({ where: { type: type.toUpperCase() } })).toBe(count);
  });

  it('for every list, unfiltered and by each state', async () => {
    const { db } = tenants[1]!;
    const of = <Row>(rows: Row[], is: (row: Row) => boolean): number => rows.filter(is).length;
    for (const type of ['CUSTOMER', 'SUPPLIER'] as const)
      expect(await db.customer.count({ where: { type } })).toBe(
        of(await db.customer.findMany(), (row) => row.type === type),
      );
    for (const status of ['ACTIVE', 'COMPLETED', 'ARCHIVED'] as const)
      expect(await db.project.count({ where: { status } })).toBe(
        of(await db.project.findMany(), (row) => row.status === status),
      );
    for (const status of ['DRAFT', 'BOOKED', 'PAID'] as const)
      expect(await db.receipt.count({ where: { status } })).toBe(
        of(await db.receipt.findMany(), (row) => row.status === status),
      );
    for (const matchStatus of ['UNMATCHED', 'PARTIALLY_MATCHED', 'MATCHED', 'IGNORED'] as const)
      expect(await db.bankTransaction.count({ where: { matchStatus } })).toBe(
        of(await db.bankTransaction.findMany(), (row) => row.matchStatus === matchStatus),
      );
    expect(await db.bankTransaction.count()).toBe((await db.bankTransaction.findMany()).length);
    expect(await db.receipt.count({ where: {} })).toBe((await db.receipt.findMany()).length);
  });

  it('through all states of an invoice, over both APIs', async () => {
    const acme = await service.integrator();
    const totals = async () => {
      const [all, ...states] = await Promise.all(
        ['', '?status=draft', '?status=issued', '?status=paid', '?status=cancelled'].map(
          async (query) => (await acme.rest('GET', `/invoices${query}`)).body.meta.total,
        ),
      );
      const { invoices } = await acme.graphql('{ invoices { totalCount } }');
      expect(invoices.totalCount).toBe(all);
      return [all, ...states];
    };
    const customerId = await makeCustomer(acme);
    const draft = await makeInvoice(acme, { customerId });
    const other = await makeInvoice(acme, { customerId });
    expect(await totals()).toEqual([2, 2, 0, 0, 0]);
    await acme.graphql('mutation ($id: UUID!) { issueInvoice(id: $id) { id } }', { id: draft });
    expect(await totals()).toEqual([2, 1, 1, 0, 0]);
    await makePayment(acme, draft, '1');
    expect(await totals()).toEqual([2, 1, 1, 0, 0]);
    expect((await acme.rest('DELETE', `/invoices/${other}`)).status).toBe(204);
    expect(await totals()).toEqual([1, 0, 1, 0, 0]);
    expect((await acme.rest('DELETE', `/invoices/${draft}`)).status).toBe(422);
    expect(await totals()).toEqual([1, 0, 1, 0, 0]);
  });

  it('after COPY, and after all rows are deleted', async () => {
    const { tenantId, db } = await service.integrator();
    await service.pool.query(
      `copy customers (tenant_id, id, type, company_name, updated_at) from program
       'for n in $(seq -w 1 999); do echo "${tenantId},01900000-0000-7000-8000-000000000$n,supplier,x,2026-01-01"; done' csv`,
    );
    expect(await db.customer.count()).toBe(999);
    expect(await db.customer.count({ where: { type: 'SUPPLIER' } })).toBe(999);
    await db.customer.deleteMany();
    expect(await db.customer.count()).toBe(0);
    expect(await faults(service.pool)).toEqual([]);
  });

  it('inside a transaction, with the rows that it has written', async () => {
    const { db } = await service.integrator();
    const counts = await db
      .$transaction(async (inside) => {
        await inside.project.createMany({ data: [1, 2, 3].map((n) => ({ name: `${n}`, currency: 'EUR' })) });
        throw new Error(`${await inside.project.count()} inside, ${await db.project.count()} outside`);
      })
      .catch((error: Error) => error.message);
    expect(counts).toBe('3 inside, 0 outside');
    expect(await db.project.count()).toBe(0);
  });
});

it('a list is read with its total in one statement over either API, also an empty list, but beyond its end', async () => {
  const globex = await service.integrator();
  const statementsOf = async (ask: () => Promise<unknown>): Promise<string[]> => {
    const sent: string[] = [];
    const end = listen(({ text }) => {
      if (/customers|row_counts/.test(text)) sent.push(text);
    });
    await ask();
    end();
    return sent;
  };
  const lists = [
    () => globex.rest('GET', '/customers?per_page=1'),
    () => globex.graphql('{ customers(first: 1) { totalCount nodes { id } } }'),
    () => globex.graphql('{ customers(filter: { type: { eq: CUSTOMER } }, first: 1) { nodes { id } totalCount } }'),
  ];
  for (const ask of lists) expect(await statementsOf(ask)).toHaveLength(1);
  const beyond = (): Promise<unknown> => globex.rest('GET', '/customers?per_page=1&page=2');
  expect(await statementsOf(beyond)).toHaveLength(2);
  for (let more = 0; more < 3; more += 1) await makeCustomer(globex);
  for (const ask of lists) expect(await statementsOf(ask)).toEqual([expect.stringContaining('row_counts')]);
});

it('a total under any other condition is counted from rows', async () => {
  const { db } = await service.integrator();
  await db.customer.createMany({
    data: [1, 2, 3].map((n) => ({ type: n > 1 ? 'CUSTOMER' : 'SUPPLIER', companyName: `${n}`, city: 'Rome' })),
  });
  expect(await db.customer.count({ where: { city: 'Rome' } })).toBe(3);
  expect(await db.customer.count({ where: { type: 'CUSTOMER', companyName: '1' } })).toBe(0);
  expect(await db.customer.count({ where: { type: { in: ['CUSTOMER', 'SUPPLIER'] } } })).toBe(3);
  expect(await db.customer.count({ where: { type: { not: 'CUSTOMER' } } })).toBe(1);
  expect(await db.customer.count({ where: { NOT: { type: 'CUSTOMER' } } })).toBe(1);
  expect(await db.customer.count({ where: { type: undefined } })).toBe(3);
  expect(await db.customer.count({ take: 2 })).toBe(2);
});

it('rows of maintained counts stay few after any number of writes', async () => {
  const { tenantId, db } = await service.integrator();
  for (let n = 0; n < 40; n++)
    await Promise.all(Array.from({ length: 10 }, () => db.project.create({ data: { name: 'x', currency: 'EUR' } })));
  const { rows } = await service.pool.query(
    'select count(*)::int as counts, sum(rows)::int as projects from row_counts where tenant_id = $1',
    [tenantId],
  );
  expect(rows[0].projects).toBe(400);
  expect(rows[0].counts).toBeLessThan(400);
});
