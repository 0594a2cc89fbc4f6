import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const invoices = size('FILTERED', { suite: 4000, full: 100_000 });
const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 20;

/** The slowest filter and order that there are: no index serves any part of them. */
const filter = {
  or: Array.from({ length: 20 }, (_, n) => ({
    subject: { contains: `x${n}` },
    customer: { city: { contains: 'y' } },
  })),
};
const orderBy = '[{ field: SUBJECT, direction: ASC }, { field: CURRENCY, direction: DESC }]';
const list = `invoices(filter: $filter, orderBy: ${orderBy}, first: 1) { totalCount }`;
const groups =
  'invoicesAggregate(groupBy: [CUSTOMER, MONTH], orderBy: { field: AMOUNT_DUE, direction: DESC }, first: 1) { count }';

const buildDocument = (lists: number, aggregates: number): string =>
  `query ($filter: InvoiceFilter) { ${Array.from({ length: lists }, (_, n) => `l${n}: ${list}`).join(' ')}
     ${Array.from({ length: aggregates }, (_, n) => `g${n}: ${groups}`).join(' ')} }`;

/** The invoices of one customer, again for each of them: a list within a row reads all rows of that customer. */
const nested = `query { invoices(first: 90) { nodes { customer {
  invoices(first: 1, filter: { subject: { contains: "zzz" } }) { totalCount }
} } } }`;

/** The same, behind nearly all rows of that customer: as many as a document may ask for. */
const mostFar = 12;
const buildFar = (lists: number): string => `query { invoices(first: ${lists}) { nodes { customer {
  invoices(first: 1, offset: ${invoices - 1}) { nodes { id } }
} } } }`;

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const { id } = await attacker.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'All', city: 'Berlin' } });
  await beside.pool.query(
    `insert into invoices (tenant_id, id, customer_id, status, invoice_date, due_date, subject, currency, total_net, total_vat,
       total_gross, updated_at)
     select $1, uuidv7(), $2, 'draft', date '2026-01-01' + n % 300, date '2026-12-01', md5(n::text), 'EUR', n % 997, 0, n % 997,
       now() from generate_series(1, $3) n`,
    [attacker.tenantId, id, invoices],
  );
  await beside.pool.query('vacuum analyze invoices');
  // As costly as a document may be: one more list, or some more aggregates, are refused.
  for (const [lists, aggregates] of [
    [3, 0],
    [2, 12],
  ] as const) {
    const refused = await attacker.graphqlAnswer(buildDocument(lists, aggregates), { filter });
    expect(refused.body.errors?.[0].message).toMatch(/values to answer.*read many rows/);
  }
  const tooFar = await attacker.graphqlAnswer(buildFar(mostFar + 1));
  expect(tooFar.body.errors?.[0].message).toContain('invoices (offset)');
  const documents = [nested, buildFar(mostFar)];
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (_: unknown, at: number): Promise<void> => {
      while (performance.now() < until) {
        const document = documents[at % 3];
        const { body } = await (document === undefined
          ? attacker.graphqlAnswer(buildDocument(2, 4), { filter })
          : attacker.graphqlAnswer(document));
        if (body.errors) expect(['RATE_LIMITED', 'UNAVAILABLE']).toContain(body.errors[0].extensions.code);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} concurrent documents that filter, sort, and group ${invoices} invoices`,
  memoryGrowth: 400,
  prepare,
};
export default attack;
