import { lockIssued, countTowardsInvoice, unpayInvoice } from '../invoice/transitions.ts';
import { type Context, key } from '../../graphql/context.ts';
import { lockBooked, countTowardsReceipt, unpayReceipt } from '../receipt/transitions.ts';
import { lockRefundable, countTowardsCreditNote, unrefund } from '../credit-note/transitions.ts';
import { Decimal } from '../../money/money.ts';
import type { Payable } from './amount.ts';
import type { Row } from '../../../prisma/client.ts';
import { isOfCredit } from './kinds.ts';

/**
 * The payables, by their type: a payment can pay one of them.
 *
 * - `field`: the payment's field that has its id.
 * - `scope`: the first part of its abilities.
 * - `series`: that of the period locks that close its payments.
 * - `isPaidByReceived`: whether it is paid by money received; null for a customer's credit, to which money received adds, and of
 *   which money sent refunds.
 * - `lock`: takes its lock, and answers what is due; null where it can't be paid.
 * - `pay`, `unpay`: add amounts to what is settled of it, or take them back.
 * - `otherwise`: why it can't be paid.
 */
export const payables = {
  INVOICE: {
    name: 'invoice',
    field: 'invoiceId',
    scope: 'invoices',
    series: 'SALES',
    isPaidByReceived: true,
    lock: lockIssued,
    pay: countTowardsInvoice,
    unpay: unpayInvoice,
    exists: async (context: Context, id: string) => context.db.invoice.findUnique({ where: key(context, id) }),
    otherwise: ['wrong_state', 'Only an issued invoice can be paid.'],
  },
  RECEIPT: {
    name: 'receipt',
    field: 'receiptId',
    scope: 'receipts',
    series: 'PURCHASES',
    isPaidByReceived: false,
    lock: lockBooked,
    pay: countTowardsReceipt,
    unpay: unpayReceipt,
    exists: async (context: Context, id: string) =>
      context.db.receipt.findFirst({ where: { id, status: { not: 'REVERSED' } } }),
    otherwise: ['wrong_state', 'Only a booked receipt can be paid.'],
  },
  CREDIT_NOTE: {
    name: 'credit note',
    field: 'creditNoteId',
    scope: 'invoices',
    series: 'SALES',
    isPaidByReceived: false,
    lock: lockRefundable,
    pay: countTowardsCreditNote,
    unpay: unrefund,
    exists: async (context: Context, id: string) => context.db.creditNote.findUnique({ where: key(context, id) }),
    otherwise: ['nothing_left', 'Nothing is to be refunded of it.'],
  },
  CUSTOMER: {
    name: 'customer',
    field: 'customerId',
    scope: 'invoices',
    series: 'SALES',
    isPaidByReceived: null,
    lock: lockCustomer,
    pay: async () => {},
    unpay: async () => {},
    exists: async () => null,
    otherwise: ['nothing_left', 'The customer has no credit.'],
  },
} as const;

/** Takes the lock of a customer. How much credit there is depends on the currency: see readCredit(). */
async function lockCustomer(context: Context, id: string): Promise<Payable | null> {
  const customer = await context.db.lock('Customer', id, 'no key update');
  const zero = new Decimal(0);
  return customer && { id, due: zero, paid: zero, adjusted: zero, currency: '', partnerId: id };
}

export type PayableType = keyof typeof payables;

/** The payable that a payment pays. */
export function paidBy(
  payment: Pick<Row<'Payment'>, 'kind' | 'invoiceId' | 'receiptId' | 'creditNoteId' | 'customerId'>,
): { type: PayableType; id: string } {
  const { invoiceId, receiptId, creditNoteId, customerId } = payment;
  if (isOfCredit(payment)) return { type: 'CUSTOMER', id: customerId ?? '' };
  if (invoiceId) return { type: 'INVOICE', id: invoiceId };
  if (receiptId) return { type: 'RECEIPT', id: receiptId };
  return { type: 'CREDIT_NOTE', id: creditNoteId ?? '' };
}

/** A payment's amount on its bank transaction's account, in the account's currency: positive for money received. */
export function getBankAmount(
  payment: Parameters<typeof paidBy>[0] & Pick<Row<'Payment'>, 'amount' | 'exchangeAmount'>,
): Decimal {
  const isReceived = payables[paidBy(payment).type].isPaidByReceived ?? payment.kind === 'OVERPAYMENT';
  return new Decimal(payment.exchangeAmount ?? payment.amount).times(isReceived ? 1 : -1);
}
