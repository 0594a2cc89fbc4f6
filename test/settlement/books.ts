import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { makeBankTransaction, makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { verify } from '../verify/books.ts';

// Books in which payments are settled, for the tests in this folder.

export let service: Service;
export let acme: Integrator;

/** For a file of tests: a service, and books of its own for each test, in which `kontor verify` finds nothing afterwards. */
export function keepBooks(): void {
  beforeAll(async () => {
    service = await startService();
    service.clock.now = new Date('2026-03-10T12:00:00Z');
  });
  beforeEach(async () => {
    acme = await service.integrator();
    return async () => expect((await verify(service, acme)).all).toEqual([]);
  });
  afterAll(() => service.close());
}

export interface Adjustment {
  type: string;
  amount: number | string;
  reason?: string;
}

export const get = async (path: string) => (await acme.rest('GET', path)).body.data;
export const invoice = (id: string) => get(`/invoices/${id}`);
export const payments = async (query: string) => (await get(`/payments?${query}`)).toReversed();
export const issued = (fields: object = {}) => makeInvoice(acme, { status: 'ISSUED', ...fields });
export const customerOf = async (id: string): Promise<string> => (await invoice(id)).customer_id;
export const pay = (id: string, body: object, to: 'invoices' | 'receipts' = 'invoices') =>
  acme.rest('POST', `/${to}/${id}/payments`, body);
export const adjust = (id: string, ...adjustments: Adjustment[]) => pay(id, { adjustments });
export const undo = (id: string, reason = 'Wrong') => acme.rest('POST', `/payments/${id}/reverse`, { reason });
export const credit = async (customer: string) => (await get(`/customers/${customer}/credit`)).items;
export const transaction = (amount: string, more: object = {}) =>
  makeBankTransaction(acme, { amount, amountOpen: amount, ...more });

/** An invoice that is paid 30 beyond what is due. @returns its customer */
export async function makeCredit(customerId?: string): Promise<string> {
  const id = await issued(customerId ? { customerId } : {});
  const paid = await adjust(id, { type: 'overpayment', amount: 30 });
  expect(paid.status).toBe(200);
  return customerOf(id);
}

const matchFields = 'id matchStatus amountOpen matches { type id amount }';
export const matchAnswer = (id: string, ...matches: object[]) =>
  acme.graphqlAnswer(
    `mutation ($id: UUID!, $matches: [MatchInput!]!) { row: matchBankTransaction(id: $id, matches: $matches) { ${matchFields} } }`,
    { id, matches },
  );
export const match = async (id: string, ...matches: object[]) => {
  const { body } = await matchAnswer(id, ...matches);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.row;
};
export const unmatch = async (id: string, matched?: string) =>
  (
    await acme.graphql(
      `mutation ($id: UUID!, $matched: UUID) { row: unmatchBankTransaction(id: $id, matched: $matched, reason: "Wrong") { ${matchFields} } }`,
      { id, matched },
    )
  ).row;
