import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionPool, observeStatements } from '../../../prisma/connection/connection.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { isOverhead } from '../../isolation/statements.ts';
import { makeCustomer, makeInvoice, makePayment, makeProject, makeReceipt, makeTimeEntry } from '../books.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The statements of a read, over all connections of the pool. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const stop = observeStatements(({ text }) => {
    // A token's use is recorded separately, once a minute.
    if (!/api_tokens/.test(text) && !isOverhead(text)) texts.push(text);
  });
  try {
    await work();
  } finally {
    stop();
  }
  return texts;
}

/** A tenant with `count` rows of each resource, which refer to each other. */
async function tenantWith(count: number): Promise<Integrator> {
  const who = await service.integrator();
  for (let index = 0; index < count; index++) {
    const customerId = await makeCustomer(who);
    const supplierId = await makeCustomer(who, { type: 'SUPPLIER' });
    const projectId = await makeProject(who, { customerId });
    const invoiceId = await makeInvoice(who, { customerId, status: 'ISSUED' });
    await makeInvoice(who, { customerId });
    await makePayment(who, invoiceId, '1');
    await makePayment(who, invoiceId, '2');
    for (let each = 0; each < 2; each++) {
      const entry = await makeTimeEntry(who, { projectId });
      await who.db.timeEntry.updateMany({ where: { id: entry }, data: { invoiceId } });
    }
    await makeReceipt(who, { supplierId, projectId });
  }
  return who;
}

describe('the number of statements does not depend on the number of rows', () => {
  let few: Integrator;
  let many: Integrator;
  beforeAll(async () => {
    few = await tenantWith(2);
    many = await tenantWith(20);
  });

  it.each([
    [
      'customers → invoices (first 5) → customer',
      '{ rows: customers(filter: { type: { eq: CUSTOMER } }, first: 100) { totalCount nodes { id invoices(first: 5) { totalCount nodes { number customer { companyName } } } } } }',
    ],
    [
      'the same through edges',
      '{ rows: customers(filter: { type: { eq: CUSTOMER } }, first: 100) { nodes { id } edges { node { invoices(first: 5) { edges { cursor node { customer { id } } } pageInfo { hasNextPage } } } } } }',
    ],
    [
      'customers → invoices, filtered and ordered, with their totals',
      '{ rows: customers(filter: { type: { eq: CUSTOMER } }, first: 20) { nodes { invoices(filter: { status: { eq: ISSUED }, customer: { city: { isNull: true } } }, orderBy: [{ field: DUE_DATE, direction: ASC }], first: 5) { totalCount nodes { number } } } } }',
    ],
    [
      'timeEntries, filtered by related rows',
      '{ rows: timeEntries(filter: { project: { name: { neq: "x" } }, or: [{ invoice: { status: { eq: ISSUED } } }, { billable: { eq: true } }] }, first: 100) { totalCount nodes { project { name } } } }',
    ],
    [
      'projects → timeEntries + trackedMinutes',
      '{ rows: projects(first: 100) { nodes { trackedMinutes customer { id } timeEntries(first: 10) { totalCount nodes { durationMinutes project { name } } } } } }',
    ],
    [
      'invoices → customer, items, vatBreakdown, payments, timeEntries',
      '{ rows: invoices(filter: { status: { eq: ISSUED } }, first: 100) { nodes { customer { id } items { title } vatBreakdown { vat } payments { nodes { amount invoice { number } } } timeEntries { nodes { billed } } amountDue isOverdue } } }',
    ],
    [
      'invoices → vatBreakdown without items',
      '{ rows: invoices(filter: { status: { eq: ISSUED } }, first: 100) { nodes { vatBreakdown { vatRate net vat } } } }',
    ],
    [
      'timeEntries → project → customer, invoice',
      '{ rows: timeEntries(first: 100) { nodes { project { customer { companyName } } invoice { number items { title } } } } }',
    ],
    [
      'receipts → supplier, payments',
      '{ rows: receipts(first: 100) { nodes { supplier { companyName } payments { nodes { amount } } } } }',
    ],
  ])('%s', async (_what, query) => {
    const counted: number[] = [];
    for (const [who, count] of [
      [few, 2],
      [many, 20],
    ] as const) {
      for (let sent = 0; sent < 4; sent++) {
        const statements = await statementsOf(async () => {
          const { rows } = await who.graphql(query);
          expect((rows.nodes ?? rows.edges).length).toBeGreaterThanOrEqual(count);
        });
        counted.push(statements.length);
      }
    }
    expect(counted[0]).toBeGreaterThan(0); // the observer works
    expect(counted).toEqual(counted.map(() => counted[0])); // the last query was compiled
    expect(counted[0]).toBeLessThanOrEqual(12);
  });

  it('for lists over REST either', async () => {
    for (const path of ['/customers', '/invoices', '/projects', '/time-entries', '/receipts']) {
      const [two, twenty] = [
        await statementsOf(() => few.rest('GET', path)),
        await statementsOf(() => many.rest('GET', path)),
      ];
      expect(two.length).toBeGreaterThan(0);
      expect(twenty.length).toBe(two.length);
    }
  });
});

it('the observer sees statements of every connection', async () => {
  const other = new ConnectionPool({ connectionString: service.pool.options.connectionString });
  expect(await statementsOf(() => other.query('select 42'))).toEqual(['select 42']);
  await other.end();
});
