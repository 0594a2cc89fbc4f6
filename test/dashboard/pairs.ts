import { item, makeBankTransaction, makeCustomer, makeInvoice } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';

export interface Pair {
  /** The transaction's. */
  id: string;
  invoiceId: string;
}

/** An invoice of 119 × `quantity`, and a transaction of the same amount by the same customer. */
export async function makePair(who: Integrator, customerId: string, quantity: number, name = 'Globex'): Promise<Pair> {
  const items = [{ ...item, quantity: String(quantity) }];
  const invoiceId = await makeInvoice(who, { customerId, status: 'ISSUED', items });
  const amount = String(119 * quantity);
  const fields = { amount, amountOpen: amount, counterpartyName: name, reference: `Payment ${quantity}` };
  const id = await makeBankTransaction(who, { ...fields, bookingDate: new Date(Date.UTC(2026, 2, 31 - quantity)) });
  return { id, invoiceId };
}

/** The newest transaction first. */
export async function makePairs(who: Integrator, count: number): Promise<Pair[]> {
  const customerId = await makeCustomer(who);
  const pairs = [];
  for (let quantity = 1; quantity <= count; quantity++) pairs.push(await makePair(who, customerId, quantity));
  return pairs;
}

export const countUnmatched = (who: Integrator): Promise<number> =>
  who.db.bankTransaction.count({ where: { matchStatus: 'UNMATCHED' } });
