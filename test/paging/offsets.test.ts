import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, type Statement } from '../isolation/statements.ts';
import { startService, type Integrator, type Service } from '../harness.ts';

import { explain } from '../plans.ts';
// Pages far from the beginning are reached from the nearer end, by the index of their order (schema/graphql/paging/page.ts).

const size = 3500;
let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  const customer = await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'x' } });
  // Every day has many, every third is a draft, and so without a number.
  await service.pool.query(
    `insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net,
       total_vat, total_gross, issued_at, updated_at)
     select $1, gen_random_uuid(), $2, case n % 3 when 0 then 'draft' else 'issued' end::invoice_status,
       case when n % 3 > 0 then '2026-' || n end, '2026-01-01', date '2026-01-01' + n % 50, 'EUR', n % 7, 0, n % 7,
       case when n % 3 > 0 then now() end, now()
     from generate_series(1, ${size}) n`,
    [acme.tenantId, customer.id],
  );
  await service.pool.query('vacuum analyze invoices');
});
afterAll(() => service.close());

const fields = ['CREATED_AT', 'NUMBER', 'DUE_DATE', 'TOTAL_GROSS', 'TOTAL_NET'] as const;
const names = {
  CREATED_AT: 'id',
  NUMBER: 'number',
  DUE_DATE: 'due_date',
  TOTAL_GROSS: 'total_gross',
  TOTAL_NET: 'total_net',
};

interface Asked {
  field: (typeof fields)[number];
  direction: 'ASC' | 'DESC';
  status: 'DRAFT' | 'ISSUED' | undefined;
  offset: number;
  size: number;
  backwards: boolean;
}

const ids = new Map<string, Promise<string[]>>();

/** All that a list holds, in its order, as PostgreSQL has it. */
function inOrder({ field, direction, status }: Asked): Promise<string[]> {
  const key = `${field} ${direction} ${status}`;
  const order = `${names[field]} ${direction}, id ${direction}`;
  const states = status ? `and status = '${status.toLowerCase()}'` : '';
  const read = async (): Promise<string[]> => {
    const sql = `select id from invoices where tenant_id = $1 ${states} order by ${order}`;
    return (await service.pool.query<{ id: string }>(sql, [acme.tenantId])).rows.map(({ id }) => id);
  };
  const known = ids.get(key) ?? read();
  ids.set(key, known);
  return known;
}

const offset = fc.oneof(fc.integer({ min: 0, max: size + 50 }), fc.constantFrom(999, 1000, 1001, 1002, size - 1, size));
const asked: fc.Arbitrary<Asked> = fc.record({
  field: fc.constantFrom(...fields),
  direction: fc.constantFrom('ASC', 'DESC'),
  status: fc.constantFrom(undefined, 'DRAFT', 'ISSUED'),
  offset,
  size: fc.integer({ min: 1, max: 100 }),
  backwards: fc.boolean(),
});

const list = `query ($status: InvoiceStatus, $first: Int, $last: Int, $offset: Int, $orderBy: [InvoiceOrder!]) {
  invoices(filter: { status: { eq: $status } }, first: $first, last: $last, offset: $offset, orderBy: $orderBy) {
    totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

describe('a page at any offset', () => {
  it('has the rows at that offset, in any order, under any filter, read from either end', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (page) => {
        const all = await inOrder(page);
        const { field, direction, status, backwards } = page;
        const { invoices } = await acme.graphql(list, {
          status,
          offset: page.offset,
          [backwards ? 'last' : 'first']: page.size,
          orderBy: { field, direction },
        });
        const end = all.length - page.offset;
        const expected = backwards
          ? all.slice(Math.max(0, end - page.size), Math.max(0, end))
          : all.slice(page.offset, page.offset + page.size);
        expect(invoices.nodes.map(({ id }: { id: string }) => id)).toEqual(expected);
        expect(invoices.totalCount).toBe(all.length);
        const [before, beyond] = [page.offset > 0, page.offset + page.size < all.length];
        expect(invoices.pageInfo).toMatchObject({
          hasNextPage: backwards ? before : beyond,
          hasPreviousPage: backwards ? beyond : before,
        });
      }),
      { numRuns: 150 },
    );
  });

  it('is over REST the same page as by following links', async () => {
    const all = await inOrder({ field: 'CREATED_AT', direction: 'DESC' } as Asked);
    for (const page of [1, 10, 11, 12, 18, 24, 35, 36]) {
      const { body } = await acme.rest('GET', `/invoices?per_page=100&page=${page}`);
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual(all.slice((page - 1) * 100, page * 100));
    }
  });
});

/** The most rows that any step of a request's statements about invoices reads, and how it reads them. */
async function mostRead(path: string): Promise<{ rows: number; by: string }> {
  const statements: Statement[] = [];
  const stop = listen((statement) => statements.push(statement));
  expect((await acme.rest('GET', path).finally(stop)).status).toBe(200);
  const scans: { rows: number; by: string }[] = [];
  for (const statement of statements.filter(({ text }) => text.includes('"invoices"'))) {
    for (const node of await explain(service, acme.tenantId, statement))
      if (node['Node Type'].includes('Scan')) scans.push({ rows: node['Actual Rows'], by: node['Node Type'] });
  }
  return scans.toSorted((a, b) => b.rows - a.rows)[0] ?? { rows: 0, by: 'nothing' };
}

describe('the cost of a page', () => {
  it('is the same for the last as for the first', async () => {
    expect((await mostRead('/invoices?per_page=10')).rows).toBeLessThan(50);
    expect((await mostRead(`/invoices?per_page=10&page=${size / 10}`)).rows).toBeLessThan(50);
    expect((await mostRead(`/invoices?per_page=10&page=${size / 10 - 20}`)).rows).toBeLessThan(300);
    expect((await mostRead(`/invoices?per_page=10&page=${size * 10}`)).rows).toBe(0);
  });

  it('is one scan in an order that no index has', async () => {
    const statements: Statement[] = [];
    const stop = listen((statement) => statements.push(statement));
    await acme
      .graphql(`{ invoices(offset: 1500, orderBy: { field: SUBJECT, direction: ASC }) { nodes { id } } }`)
      .finally(stop);
    expect(statements.filter(({ text }) => text.includes('"invoices"'))).toHaveLength(1);
  });

  it('is in the middle that of skipping index entries', async () => {
    const { rows, by } = await mostRead('/invoices?per_page=10&page=160');
    expect(by).toBe('Index Only Scan');
    expect(rows).toBeLessThan(size / 2);
  });
});
