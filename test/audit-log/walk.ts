import fc from 'fast-check';
import { item, makeBankTransaction } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';

/** A step of a generated walk through what the API can do; many are refused, and then nothing may be logged. */
export interface Step {
  kind: string;
  which: number;
  other: number;
}

const unknownId = '00000000-0000-7000-8000-000000000000';
type Model =
  | 'customer'
  | 'invoice'
  | 'creditNote'
  | 'receipt'
  | 'project'
  | 'timeEntry'
  | 'payment'
  | 'bankTransaction';

/** One of the tenant's rows. */
async function find(who: Integrator, model: Model, which: number): Promise<string> {
  const delegate = who.db[model] as unknown as { findMany(query: object): Promise<{ id: string }[]> };
  const rows = await delegate.findMany({ orderBy: { id: 'asc' } });
  return rows[which % Math.max(1, rows.length)]?.id ?? unknownId;
}

type Find = (model: Model) => Promise<string>;
type Take = (who: Integrator, find: Find, step: Step) => Promise<unknown>;

const update =
  (type: string, model: Model, input: (step: Step) => object): Take =>
  async (who, id, step) =>
    who.graphqlAnswer(
      `mutation ($id: UUID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { id } }`,
      { id: await id(model), input: input(step) },
    );
const create =
  (type: string, input: (step: Step, find: Find) => Promise<object>): Take =>
  async (who, id, step) =>
    who.graphqlAnswer(`mutation ($input: Create${type}Input!) { create${type}(input: $input) { id } }`, {
      input: await input(step, id),
    });
const post =
  (path: string, model: Model, action: string, body?: (step: Step) => object): Take =>
  async (who, id, step) =>
    who.rest('POST', `/${path}/${await id(model)}/${action}`, body?.(step));
const remove =
  (path: string, model: Model): Take =>
  async (who, id) =>
    who.rest('DELETE', `/${path}/${await id(model)}`);

const invoiceDate = '2026-03-01';

export const takers: Record<string, Take> = {
  'create customer': create('Customer', async ({ which }) => ({ type: 'CUSTOMER', companyName: `C${which}` })),
  'rename customer': update('Customer', 'customer', ({ other }) => ({
    companyName: `C${other}`,
    metadata: { a: `${other}` },
  })),
  'delete customer': remove('customers', 'customer'),
  'create draft': create('Invoice', async (_step, id) => ({
    customerId: await id('customer'),
    invoiceDate,
    items: [item, item],
  })),
  'create issued': create('Invoice', async (_step, id) => ({
    customerId: await id('customer'),
    invoiceDate,
    status: 'ISSUED',
    items: [item],
  })),
  'change draft': update('Invoice', 'invoice', ({ other }) => ({ subject: `S${other}` })),
  'change lines': update('Invoice', 'invoice', ({ other }) => ({
    items: [{ ...item, quantity: `${other + 1}` }, item],
  })),
  'delete draft': remove('invoices', 'invoice'),
  issue: post('invoices', 'invoice', 'issue'),
  pay: post('invoices', 'invoice', 'payments', () => ({})),
  'pay in part': post('invoices', 'invoice', 'payments', () => ({ amount: 10 })),
  'undo payment': async (who, id) =>
    who.graphqlAnswer('mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id } }', {
      id: await id('payment'),
    }),
  'change payment': update('Payment', 'payment', ({ which, other }) => ({
    externalId: `P${which}`,
    metadata: { a: `${other}` },
  })),
  cancel: post('invoices', 'invoice', 'cancel'),
  credit: create('CreditNote', async (_step, id) => ({ invoiceId: await id('invoice') })),
  refund: post('credit-notes', 'creditNote', 'refunds', () => ({})),
  receipt: create('Receipt', async () => ({ receiptDate: '2026-03-01', amountGross: '119', vatRate: '19' })),
  book: post('receipts', 'receipt', 'book'),
  'pay receipt': post('receipts', 'receipt', 'payments', () => ({})),
  'change receipt': update('Receipt', 'receipt', ({ other }) => ({ amountGross: `${other + 1}` })),
  'delete receipt': remove('receipts', 'receipt'),
  project: create('Project', async ({ which }, id) => ({
    name: `P${which}`,
    customerId: await id('customer'),
    hourlyRateNet: '80',
  })),
  track: create('TimeEntry', async (_step, id) => ({
    projectId: await id('project'),
    date: '2026-03-01',
    durationMinutes: 30,
  })),
  'change time': update('TimeEntry', 'timeEntry', ({ other }) => ({ durationMinutes: other + 1 })),
  'delete time': remove('time-entries', 'timeEntry'),
  bill: async (who, id) =>
    who.graphqlAnswer('mutation ($id: UUID!) { billProject(projectId: $id) { id } }', { id: await id('project') }),
  company: async (who, _id, { other }) =>
    who.graphql('mutation ($input: UpdateCompanyInput!) { updateCompany(input: $input) { id } }', {
      input: { legalName: 'Acme GmbH', city: `City ${other}` },
    }),
  match: async (who, id) =>
    who.graphqlAnswer(
      'mutation ($id: UUID!, $matches: [MatchInput!]!) { matchBankTransaction(id: $id, matches: $matches) { id } }',
      { id: await makeBankTransaction(who), matches: [{ type: 'INVOICE', id: await id('invoice') }] },
    ),
  unmatch: async (who, id) =>
    who.graphqlAnswer('mutation ($id: UUID!) { unmatchBankTransaction(id: $id) { id } }', {
      id: await id('bankTransaction'),
    }),
};

export const take = (who: Integrator, step: Step): Promise<unknown> =>
  takers[step.kind]?.(who, (model) => find(who, model, step.which), step) ?? Promise.reject(new Error(step.kind));

const number = fc.nat({ max: 30 });
export const walk: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...Object.keys(takers)), which: number, other: number }),
  { minLength: 40, maxLength: 60 },
);
