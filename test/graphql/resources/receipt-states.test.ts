import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import {
  readBooks,
  eventsDuring,
  makeBankTransaction,
  makeInvoice,
  makeReceipt,
  makeTimeEntry,
  refusal,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const payReceipt = 'mutation ($id: UUID!, $amount: Decimal) { payReceipt(id: $id, amount: $amount) { id } }';

type Outcome = { becomes: string; emits: string[] } | { refused: string };
const to = (becomes: string, ...emits: string[]): Outcome => ({ becomes, emits });
const refused = (under: string): Outcome => ({ refused: under });

const states = {
  draft: () => makeReceipt(acme),
  booked: () => makeReceipt(acme, { status: 'BOOKED' }),
  'part-paid': async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED' });
    await acme.graphql(payReceipt, { id, amount: '19' });
    return id;
  },
  paid: async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED' });
    await acme.graphql(payReceipt, { id });
    return id;
  },
};

const mutations = {
  bookReceipt: 'mutation ($id: UUID!) { bookReceipt(id: $id) { id } }',
  payReceipt,
  updateReceipt: 'mutation ($id: UUID!) { updateReceipt(id: $id, input: { category: "Travel" }) { id } }',
  deleteReceipt: 'mutation ($id: UUID!) { deleteReceipt(id: $id) { id } }',
};

const paid = ['receipt.payment_recorded', 'receipt.paid', 'payment.recorded'];

/** In the order of `mutations`. */
const table: Record<keyof typeof states, Outcome[]> = {
  draft: [to('BOOKED', 'receipt.booked'), refused('status'), to('DRAFT', 'receipt.updated'), to('', 'receipt.deleted')],
  booked: [refused('status'), to('PAID', ...paid), refused('status'), to('', 'receipt.deleted', 'receipt.reversed')],
  'part-paid': [refused('status'), to('PAID', ...paid), refused('status'), refused('id')],
  paid: [refused('status'), refused('status'), refused('status'), refused('id')],
};

const cells = (Object.keys(states) as (keyof typeof states)[]).flatMap((state) =>
  Object.entries(mutations).map(([name, mutation], index) => ({
    state,
    name,
    mutation,
    outcome: table[state][index]!,
  })),
);

describe('receipt: draft→booked→paid', () => {
  it.each(cells)('$state: $name', async ({ state, mutation, outcome }) => {
    const id = await states[state]();
    if ('refused' in outcome) {
      const before = await readBooks(service, acme);
      expect(refusal(await acme.graphqlAnswer(mutation, { id }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { [outcome.refused]: [expect.any(String)] },
      });
      expect(await readBooks(service, acme)).toEqual(before);
      return;
    }
    const rest = async () => (await acme.rest('GET', `/receipts/${id}`)).body.data;
    const before = await rest();
    const events = await eventsDuring(service, acme, () => acme.graphql(mutation, { id }));
    const after = outcome.becomes === '' ? before : await rest();
    expect(events.map(({ type }) => type)).toEqual(outcome.emits);
    for (const { type, body } of events)
      if (type.startsWith('receipt.') && type !== 'receipt.reversed') expect(body.data).toEqual({ receipt: after });
    expect(outcome.becomes === '' ? '' : after.status.toUpperCase()).toBe(outcome.becomes);
  });

  it('a receipt created as booked emits the events of a draft too', async () => {
    const events = await eventsDuring(service, acme, () => makeReceipt(acme, { status: 'BOOKED' }));
    expect(events.map(({ type, body }) => [type, body.data.receipt.status])).toEqual([
      ['receipt.created', 'draft'],
      ['receipt.booked', 'booked'],
    ]);
  });

  it('a receipt can’t be created as paid', async () => {
    const create =
      'mutation { createReceipt(input: { receiptDate: "2026-01-01", amountGross: 1, status: PAID }) { id } }';
    const before = await readBooks(service, acme);
    expect(refusal(await acme.graphqlAnswer(create)).errors).toHaveProperty(['input.status']);
    expect(await readBooks(service, acme)).toEqual(before);
  });
});

describe('bank transaction: unmatched ↔ ignored', () => {
  const ignore = 'mutation ($id: UUID!) { changed: ignoreBankTransaction(id: $id) { matchStatus } }';
  const unignore = 'mutation ($id: UUID!) { changed: unignoreBankTransaction(id: $id) { matchStatus } }';
  it.each([
    ['UNMATCHED', ignore, 'IGNORED'],
    ['IGNORED', unignore, 'UNMATCHED'],
    ['UNMATCHED', unignore, null],
    ['PARTIALLY_MATCHED', ignore, null],
    ['PARTIALLY_MATCHED', unignore, null],
    ['MATCHED', ignore, null],
    ['MATCHED', unignore, null],
    ['IGNORED', ignore, null],
  ] as const)('%s, %s: %s', async (matchStatus, mutation, becomes) => {
    const id = await makeBankTransaction(acme, { matchStatus });
    const before = await readBooks(service, acme);
    const answer = await acme.graphqlAnswer(mutation, { id });
    if (becomes) {
      expect(answer.body).toEqual({ data: { changed: { matchStatus: becomes } } });
    } else {
      expect(refusal(answer)).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { matchStatus: [expect.any(String)] },
      });
      expect(await readBooks(service, acme)).toEqual(before);
    }
  });
});

describe('project: any status to any other', () => {
  const all = ['ACTIVE', 'COMPLETED', 'ARCHIVED'];
  it.each(all.flatMap((from) => all.map((becomes) => [from, becomes])))('%s → %s', async (from, status) => {
    const { createProject } = await acme.graphql(
      'mutation ($input: CreateProjectInput!) { createProject(input: $input) { id } }',
      { input: { name: 'Website', status: from } },
    );
    const update =
      'mutation ($id: UUID!, $input: UpdateProjectInput!) { updateProject(id: $id, input: $input) { status } }';
    expect(await acme.graphql(update, { id: createProject.id, input: { status } })).toEqual({
      updateProject: { status },
    });
  });
});

describe('time entry: billed when put on an invoice', () => {
  it.each([
    ['mutation ($id: UUID!) { updateTimeEntry(id: $id, input: { durationMinutes: 5 }) { id } }', 'billed'],
    ['mutation ($id: UUID!) { deleteTimeEntry(id: $id) { id } }', 'id'],
  ])('a billed time entry can’t be changed: %s', async (mutation, under) => {
    const id = await makeTimeEntry(acme);
    await acme.db.timeEntry.updateMany({ where: { id }, data: { invoiceId: await makeInvoice(acme) } });
    const before = await readBooks(service, acme);
    expect(refusal(await acme.graphqlAnswer(mutation, { id }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { [under]: ['An invoice bills this time entry.'] },
    });
    expect(await readBooks(service, acme)).toEqual(before);
  });
});
