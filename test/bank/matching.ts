import { Decimal } from 'decimal.js';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { eventsDuring, makeBankTransaction, makeInvoice } from '../graphql/books.ts';
import { camt, imported, type Entry } from './statement.ts';

export let service: Service;
export let acme: Integrator;

/** New books, for who wants them within a test. */
export async function openBooks(): Promise<void> {
  acme = await service.integrator();
}

/** For a file of tests: a service, and books of its own for each test. */
export function keepBooks(): void {
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(openBooks);
  afterAll(() => service.close());
}

const fields = 'id matchStatus amount amountOpen matches { type id amount }';
export const mutation = {
  match: `mutation ($id: UUID!, $matches: [MatchInput!]!) { row: matchBankTransaction(id: $id, matches: $matches) { ${fields} } }`,
  unmatch: `mutation ($id: UUID!, $matched: UUID) { row: unmatchBankTransaction(id: $id, matched: $matched) { ${fields} } }`,
  ignore: `mutation ($id: UUID!) { row: ignoreBankTransaction(id: $id) { ${fields} } }`,
  unignore: `mutation ($id: UUID!) { row: unignoreBankTransaction(id: $id) { ${fields} } }`,
};

export interface Part {
  type: 'INVOICE' | 'RECEIPT' | 'CREDIT_NOTE';
  id: string;
  amount?: string;
}
export const invoicePart = (id: string, amount?: string): Part => ({ type: 'INVOICE', id, ...(amount && { amount }) });
export const receiptPart = (id: string, amount?: string): Part => ({ type: 'RECEIPT', id, ...(amount && { amount }) });
export const creditNotePart = (id: string, amount?: string): Part => ({
  type: 'CREDIT_NOTE',
  id,
  ...(amount && { amount }),
});
export const match = async (id: string, ...matches: Part[]) =>
  (await acme.graphql(mutation.match, { id, matches })).row;
export const unmatch = async (id: string, matched?: string) =>
  (await acme.graphql(mutation.unmatch, { id, matched })).row;
export const invoice = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data;
export const receipt = async (id: string) => (await acme.rest('GET', `/receipts/${id}`)).body.data;
export const creditNote = async (id: string) => (await acme.rest('GET', `/credit-notes/${id}`)).body.data;
export const issued = (more: object = {}) => makeInvoice(acme, { status: 'ISSUED', ...more });
export const transaction = (amount: string, more: object = {}) =>
  makeBankTransaction(acme, { amount, amountOpen: amount, ...more });
export const typesDuring = async (work: () => Promise<unknown>) =>
  (await eventsDuring(service, acme, work)).map(({ type }) => type);

/** Imports one entry. */
export async function receive(entry: Entry): Promise<{ matched: number; id: string }> {
  const { matched } = await imported(service, acme, camt([entry]));
  const { data } = (await acme.rest('GET', '/bank-transactions?per_page=1')).body;
  return { matched, id: data[0].id };
}

interface Suggestion {
  type: string;
  id: string;
  amount: string;
  score: number;
  reasons: Reason[];
}

interface Reason {
  code: string;
  message: string;
  number: string | null;
  partnerName: string | null;
}

/** A transaction's suggestions, with the sentences of their reasons. */
export async function suggestions(id: string): Promise<(Omit<Suggestion, 'reasons'> & { reasons: string[] })[]> {
  const found = await readSuggestions(id, 'type id amount score reasons { message }');
  return found.map(({ reasons, ...rest }) => ({ ...rest, reasons: reasons.map(({ message }) => message) }));
}

export const readReasons = async (id: string): Promise<Reason[][]> =>
  (await readSuggestions(id, 'reasons { code message number partnerName }')).map(({ reasons }) => reasons);

const readSuggestions = async (id: string, selection: string): Promise<Suggestion[]> =>
  (await acme.graphql(`query ($id: UUID!) { bankTransaction(id: $id) { suggestions { ${selection} } } }`, { id }))
    .bankTransaction.suggestions;

/** Invariants: they hold whatever was done. */
export async function expectInvariants(): Promise<void> {
  const sum = (amounts: { toString(): string }[]) =>
    amounts.reduce<Decimal>((all, one) => all.plus(one.toString()), new Decimal(0));
  for (const row of await acme.db.invoice.findMany({ include: { payments: true } })) {
    const paid = sum(row.payments.map(({ amount }) => amount));
    expect(paid.toFixed()).toBe(row.amountPaid.toFixed());
    expect(paid.gte(0) && paid.lte(row.totalGross.toString())).toBe(true);
    expect(row.status).toBe(paid.eq(row.totalGross.toString()) ? 'PAID' : 'ISSUED');
    expect(row.paidAt === null).toBe(row.status === 'ISSUED');
  }
  const { data } = (await acme.rest('GET', '/bank-transactions?per_page=100')).body;
  for (const row of data) {
    const matched = sum(row.matches.map(({ amount }: { amount: number }) => amount));
    expect(matched.plus(row.amount_open).toFixed()).toBe(new Decimal(row.amount).toFixed());
    expect(matched.gte(0)).toBe(true);
    const expected = row.amount_open === 0 ? 'matched' : matched.isZero() ? 'unmatched' : 'partially_matched';
    if (row.match_status !== 'ignored') expect(row.match_status).toBe(expected);
    else expect(matched.toFixed()).toBe('0');
  }
}
