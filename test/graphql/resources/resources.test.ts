import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { makeCustomer, makeProject, refusal } from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ currency: 'CHF' });
});
afterAll(() => service.close());

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
const stamps = { id, createdAt: time, updatedAt: time };

interface Chapter {
  type: string;
  list: string;
  fields: string;
  input: () => Promise<object>;
  answer: (input: object) => object;
  change: object;
  changed: object;
}

const same = (input: object): object => input;

const books = { title: 'Books', quantity: '3', unit: 'pcs', unitPriceNet: '0.3335', vatRate: '7' };
const rebate = { title: 'Rebate', quantity: '-0.5', unit: null, unitPriceNet: '1', vatRate: '0' };
/** The two lines of the answer, the first with this total. */
const lines = (first: string) => [
  { ...books, position: 1, lineTotalNet: first },
  { ...rebate, position: 2, lineTotalNet: '-0.5' },
];

const chapters: Chapter[] = [
  {
    type: 'Customer',
    list: 'customers',
    fields: 'id type companyName email addressLine1 postalCode city country vatId createdAt updatedAt',
    input: async () => ({
      type: 'SUPPLIER',
      companyName: 'Zoë & Søn',
      email: 'zoe@example.com',
      addressLine1: 'Gade 1',
      postalCode: '1050',
      city: 'København',
      country: 'DK',
      vatId: 'DK12345678',
    }),
    answer: same,
    change: { companyName: 'Zoë', vatId: null },
    changed: { companyName: 'Zoë', vatId: null, city: 'København' },
  },
  {
    type: 'Project',
    list: 'projects',
    fields:
      'id customerId name description status hourlyRateNet currency budgetHours startDate endDate trackedMinutes createdAt updatedAt',
    input: async () => ({
      customerId: await makeCustomer(acme),
      name: 'Website',
      description: 'New',
      status: 'COMPLETED',
      hourlyRateNet: '99.9999',
      currency: 'JPY',
      budgetHours: '12.5',
      startDate: '2026-01-01',
      endDate: '2026-01-01',
    }),
    answer: (input) => ({ ...input, trackedMinutes: 0 }),
    change: { endDate: null, startDate: '2026-05-01', customerId: null },
    changed: { endDate: null, startDate: '2026-05-01', customerId: null, name: 'Website' },
  },
  {
    type: 'Receipt',
    list: 'receipts',
    fields:
      'id supplierId projectId status receiptNumber receiptDate dueDate description category currency amountGross vatRate vatAmount amountNet amountPaid paidAt createdAt updatedAt',
    input: async () => ({
      supplierId: await makeCustomer(acme, { type: 'SUPPLIER' }),
      projectId: await makeProject(acme),
      receiptNumber: 'R-1',
      receiptDate: '2026-02-28',
      dueDate: '2026-03-31',
      description: 'Train',
      category: 'Travel',
      currency: 'EUR',
      amountGross: '119',
      vatRate: '19',
    }),
    answer: (input) => ({
      ...input,
      status: 'DRAFT',
      vatAmount: '19',
      amountNet: '100',
      amountPaid: '0',
      paidAt: null,
    }),
    change: { amountGross: '10.7', vatRate: '7', supplierId: null },
    changed: {
      amountGross: '10.7',
      vatRate: '7',
      vatAmount: '0.7',
      amountNet: '10',
      supplierId: null,
      category: 'Travel',
    },
  },
  {
    type: 'TimeEntry',
    list: 'timeEntries',
    fields:
      'id projectId userId invoiceId billed date durationMinutes description billable hourlyRateNet createdAt updatedAt',
    input: async () => ({
      projectId: await makeProject(acme),
      date: '2026-02-28',
      durationMinutes: 1440,
      description: 'All day',
      billable: false,
      hourlyRateNet: '0',
    }),
    answer: (input) => ({ ...input, userId: acme.userId, invoiceId: null, billed: false }),
    change: { durationMinutes: 1, billable: true, description: null },
    changed: { durationMinutes: 1, billable: true, description: null, date: '2026-02-28' },
  },
  {
    type: 'Invoice',
    list: 'invoices',
    fields: `id number customerId invoiceDate dueDate deliveryDate subject currency status totalNet totalVat totalGross amountPaid amountDue
      isOverdue issuedAt paidAt cancelledAt createdAt updatedAt vatBreakdown { vatRate net vat } payments { nodes { id } } timeEntries { nodes { id } }
      items { position title quantity unit unitPriceNet vatRate lineTotalNet }`,
    input: async () => ({
      customerId: await makeCustomer(acme),
      invoiceDate: '2026-02-28',
      dueDate: '2026-02-28',
      deliveryDate: '2026-02-27',
      subject: 'Winter',
      currency: 'TND',
      items: [books, rebate],
    }),
    answer: (input) => ({
      ...input,
      status: 'DRAFT',
      items: lines('1.001'),
      vatBreakdown: [
        { vatRate: '0', net: '-0.5', vat: '0' },
        { vatRate: '7', net: '1.001', vat: '0.07' },
      ],
      totalNet: '0.501',
      totalVat: '0.07',
      totalGross: '0.571',
      amountPaid: '0',
      amountDue: '0.571',
      isOverdue: false,
      number: null,
      issuedAt: null,
      paidAt: null,
      cancelledAt: null,
      payments: { nodes: [] },
      timeEntries: { nodes: [] },
    }),
    // EUR has one digit less, so all totals are recalculated.
    change: { currency: 'EUR', subject: null, deliveryDate: null },
    changed: {
      currency: 'EUR',
      subject: null,
      deliveryDate: null,
      items: lines('1'),
      vatBreakdown: [
        { vatRate: '0', net: '-0.5', vat: '0' },
        { vatRate: '7', net: '1', vat: '0.07' },
      ],
      totalNet: '0.5',
      totalVat: '0.07',
      totalGross: '0.57',
      amountDue: '0.57',
    },
  },
];

describe.each(chapters)('$type', ({ type, list, fields, input, answer, change, changed }) => {
  const one = type.charAt(0).toLowerCase() + type.slice(1);

  it('is created, read by id and in its list, changed only in the fields present, and deleted', async () => {
    const given = await input();
    const created = (
      await acme.graphql(`mutation ($input: Create${type}Input!) { row: create${type}(input: $input) { ${fields} } }`, {
        input: given,
      })
    ).row;
    expect(created).toEqual({ ...stamps, ...answer(given) });

    const read = async () =>
      (await acme.graphql(`query ($id: UUID!) { row: ${one}(id: $id) { ${fields} } }`, { id: created.id })).row;
    expect(await read()).toEqual(created);
    const listed = await acme.graphql(
      `{ list: ${list}(first: 1) { nodes { ${fields} } edges { node { ${fields} } } } }`,
    );
    expect(listed).toEqual({ list: { nodes: [created], edges: [{ node: created }] } });

    const update = `mutation ($id: UUID!, $input: Update${type}Input!) { row: update${type}(id: $id, input: $input) { ${fields} } }`;
    const { row } = await acme.graphql(update, { id: created.id, input: change });
    expect(row).toMatchObject(changed);
    expect({ ...created, ...changed, updatedAt: null }).toEqual({ ...row, updatedAt: null }); // the other fields are unchanged
    expect(await read()).toEqual(row);
    expect((await acme.graphql(update, { id: created.id, input: {} })).row).toEqual({ ...row, updatedAt: time });

    const remove = `mutation ($id: UUID!) { row: delete${type}(id: $id) { ${fields} } }`;
    expect((await acme.graphql(remove, { id: created.id })).row).toEqual({ ...row, updatedAt: time });
    expect(refusal(await acme.graphqlAnswer(remove, { id: created.id })).code).toBe('NOT_FOUND');
    expect(refusal(await acme.graphqlAnswer(update, { id: created.id, input: {} })).code).toBe('NOT_FOUND');
  });
});

it('me is the request’s user, tenant, and token', async () => {
  const { me } = await acme.graphql(
    '{ me { user { id name email } tenant { id name country defaultCurrency timezone } token { id name abilities createdAt lastUsedAt expiresAt } } }',
  );
  expect(me).toEqual({
    user: { id: acme.userId, name: expect.any(String), email: expect.stringContaining('@example.com') },
    tenant: { id: acme.tenantId, name: 'Acme', country: 'DE', defaultCurrency: 'CHF', timezone: 'UTC' },
    token: {
      id: acme.tokenId,
      name: 'API token',
      abilities: ['*'],
      createdAt: time,
      lastUsedAt: time,
      expiresAt: null,
    },
  });
});
