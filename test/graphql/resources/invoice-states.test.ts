import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import {
  readBooks,
  eventsDuring,
  listEvents,
  makeInvoice,
  makePayment,
  makeTimeEntry,
  refusal,
  type EventRow,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const cancel = 'mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }';
const free = { title: 'A gift', quantity: '1', unitPriceNet: '0', vatRate: '19' };

/** Creates an invoice in each state. */
const states = {
  draft: () => makeInvoice(acme),
  issued: () => makeInvoice(acme, { status: 'ISSUED' }),
  'part-paid': async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await makePayment(acme, id, '19');
    return id;
  },
  paid: () => makeInvoice(acme, { status: 'PAID' }),
  'paid, of zero': () => makeInvoice(acme, { status: 'ISSUED', items: [free] }),
  cancelled: async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await acme.graphql(cancel, { id });
    return id;
  },
};

const mutations = {
  issueInvoice: 'mutation ($id: UUID!) { issueInvoice(id: $id) { id } }',
  'payInvoice in full': 'mutation ($id: UUID!) { payInvoice(id: $id) { id } }',
  'payInvoice in part': 'mutation ($id: UUID!) { payInvoice(id: $id, amount: "0.01") { id } }',
  cancelInvoice: cancel,
  updateInvoice: 'mutation ($id: UUID!) { updateInvoice(id: $id, input: { subject: "New" }) { id } }',
  deleteInvoice: 'mutation ($id: UUID!) { deleteInvoice(id: $id) { id } }',
};

type Outcome = { becomes: string; emits: string[] } | 'refused';
const to = (becomes: string, ...emits: string[]): Outcome => ({ becomes, emits });

/** DECISIONS.md#d14-transitions lists the allowed transitions; all others are rejected. In the order of `mutations`. */
const table: Record<keyof typeof states, Outcome[]> = {
  draft: [
    to('ISSUED', 'invoice.issued'),
    'refused',
    'refused',
    'refused',
    to('DRAFT', 'invoice.updated'),
    to('', 'invoice.deleted'),
  ],
  issued: [
    'refused',
    to('PAID', 'invoice.payment_recorded', 'invoice.paid', 'payment.recorded'),
    to('ISSUED', 'invoice.payment_recorded', 'payment.recorded'),
    to('CANCELLED', 'credit_note.created', 'credit_note.issued', 'invoice.cancelled'),
    'refused',
    'refused',
  ],
  'part-paid': [
    'refused',
    to('PAID', 'invoice.payment_recorded', 'invoice.paid', 'payment.recorded'),
    to('ISSUED', 'invoice.payment_recorded', 'payment.recorded'),
    'refused',
    'refused',
    'refused',
  ],
  paid: Array.from({ length: 6 }, () => 'refused'),
  'paid, of zero': Array.from({ length: 6 }, () => 'refused'),
  cancelled: Array.from({ length: 6 }, () => 'refused'),
};

const cells = (Object.keys(states) as (keyof typeof states)[]).flatMap((state) =>
  Object.entries(mutations).map(([name, mutation], index) => ({
    state,
    name,
    mutation,
    outcome: table[state][index]!,
  })),
);

const typesOf = (events: EventRow[]): string[] => events.map(({ type }) => type);
const statusOf = async (id: string): Promise<string> =>
  (await acme.graphql('query ($id: UUID!) { invoice(id: $id) { status } }', { id })).invoice.status;
const restOf = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data;

describe('draft→issued→paid, issued→cancelled only while nothing is paid, draft→deleted', () => {
  it.each(cells.filter(({ outcome }) => outcome !== 'refused'))(
    '$state: $name is allowed',
    async ({ state, mutation, outcome }) => {
      const { becomes, emits } = outcome as Exclude<Outcome, 'refused'>;
      const id = await states[state]();
      const before = await restOf(id);
      const events = await eventsDuring(service, acme, () => acme.graphql(mutation, { id }));
      expect(typesOf(events)).toEqual(emits);
      if (becomes !== '') expect(await statusOf(id)).toBe(becomes);
      // A deletion's event has the deleted row, other events the new one.
      for (const { body, type } of events.filter((event) => event.type.startsWith('invoice.'))) {
        expect(body).toEqual({
          event: type,
          tenant_id: acme.tenantId,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
          data: { invoice: becomes === '' ? before : await restOf(id) },
        });
      }
      if (becomes === '') expect((await acme.rest('GET', `/invoices/${id}`)).status).toBe(404);
    },
  );

  it.each(cells.filter(({ outcome }) => outcome === 'refused'))(
    '$state: $name is refused, changes and emits nothing',
    async ({ state, mutation }) => {
      const id = await states[state]();
      const before = await readBooks(service, acme);
      const answer = await acme.graphqlAnswer(mutation, { id });
      expect(refusal(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors: { status: [expect.any(String)] } });
      expect(await readBooks(service, acme)).toEqual(before);
    },
  );
});

it('an invoice created as paid is numbered and paid in full, and emits the events of all its states', async () => {
  const lone = await service.integrator();
  const id = await makeInvoice(lone, { status: 'PAID' });
  const events = (await listEvents(service, lone)).slice(1); // the first one is the customer's
  expect(typesOf(events)).toEqual([
    'invoice.created',
    'invoice.issued',
    'invoice.payment_recorded',
    'invoice.paid',
    'payment.recorded',
  ]);
  const [created, issued, recorded, paid] = events.map(({ body }) => body.data.invoice);
  expect(created).toMatchObject({
    id,
    status: 'draft',
    number: null,
    amount_paid: 0,
    amount_due: 119,
    issued_at: null,
  });
  expect(issued).toMatchObject({ id, status: 'issued', number: '2026-0001', amount_paid: 0, amount_due: 119 });
  expect(paid).toMatchObject({ id, status: 'paid', number: '2026-0001', amount_paid: 119, amount_due: 0 });
  expect(recorded).toEqual(paid);
  expect(paid).toEqual((await lone.rest('GET', `/invoices/${id}`)).body.data);
  expect(Object.keys(created)).toEqual(Object.keys(paid));
});

it('an invoice with a total of zero is paid as soon as it is issued', async () => {
  const id = await makeInvoice(acme, { items: [free] });
  expect(await statusOf(id)).toBe('DRAFT');
  const events = await eventsDuring(service, acme, () => acme.graphql(mutations.issueInvoice, { id }));
  expect(typesOf(events)).toEqual(['invoice.issued', 'invoice.paid']);
  expect(await statusOf(id)).toBe('PAID');

  const atOnce = await eventsDuring(service, acme, () => makeInvoice(acme, { items: [free], status: 'PAID' }));
  expect(typesOf(atOnce)).toEqual(['customer.created', 'invoice.created', 'invoice.issued', 'invoice.paid']);
});

it('an invoice number is YYYY-NNNN by the year of invoice_date; drafts have none, and cancelled invoices keep theirs', async () => {
  const lone = await service.integrator();
  const number = async (id: string): Promise<string | null> =>
    (await lone.graphql('query ($id: UUID!) { invoice(id: $id) { number } }', { id })).invoice.number;
  const draft = await makeInvoice(lone, { invoiceDate: '2025-12-31' });
  expect(await number(draft)).toBeNull();
  const first = await makeInvoice(lone, { invoiceDate: '2026-01-01', status: 'ISSUED' });
  expect(await number(first)).toBe('2026-0001');
  await lone.graphql(mutations.issueInvoice, { id: draft });
  expect(await number(draft)).toBe('2025-0001');
  await lone.graphql(cancel, { id: first });
  expect(await number(first)).toBe('2026-0001');
  expect(await number(await makeInvoice(lone, { status: 'ISSUED' }))).toBe('2026-0002');
});

it('an invoice can’t be created as cancelled', async () => {
  const before = await readBooks(service, acme);
  const mutation = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }';
  const [anyone] = (await acme.graphql('{ customers(first: 1) { nodes { id } } }')).customers.nodes;
  const input = { customerId: anyone.id, invoiceDate: '2026-01-01', items: [free], status: 'CANCELLED' };
  const answer = await acme.graphqlAnswer(mutation, { input });
  expect(refusal(answer)).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: { 'input.status': [expect.any(String)] },
  });
  expect(await readBooks(service, acme)).toEqual(before);
});

describe('time entries become unbilled when their draft is deleted or their invoice is cancelled', () => {
  it.each([
    ['deleteInvoice', 'DRAFT'],
    ['cancelInvoice', 'ISSUED'],
  ] as const)('%s', async (mutation, status) => {
    const id = await makeInvoice(acme, { status });
    const entries = [await makeTimeEntry(acme), await makeTimeEntry(acme)];
    await acme.db.timeEntry.updateMany({ where: { id: { in: entries } }, data: { invoiceId: id } });
    const billed = async () =>
      Promise.all(
        entries.map(async (entry) => {
          const query = 'query ($id: UUID!) { timeEntry(id: $id) { billed invoiceId invoice { id } } }';
          return (await acme.graphql(query, { id: entry })).timeEntry;
        }),
      );
    expect(await billed()).toEqual(entries.map(() => ({ billed: true, invoiceId: id, invoice: { id } })));
    await acme.graphql(mutations[mutation], { id });
    expect(await billed()).toEqual(entries.map(() => ({ billed: false, invoiceId: null, invoice: null })));
  });
});
