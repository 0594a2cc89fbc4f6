import { lockIssued, countTowardsInvoice, unpayInvoice } from '../invoice/transitions.ts';
import { type Context, key } from '../../graphql/context.ts';
import { lockBooked, countTowardsReceipt, unpayReceipt } from '../receipt/transitions.ts';
import { lockRefundable, countTowardsCreditNote, unrefund } from '../credit-note/transitions.ts';
import type { Row } from '../../../prisma/client.ts';

/**
 * What a payment can pay, by its type.
 *
 * - `field`: the payment's field that has its id.
 * - `scope`: the first part of its abilities.
 * - `series`: that of the period locks that close its payments.
 * - `lock`: takes its lock, and answers what is due; null where it can't be paid.
 * - `pay`, `unpay`: add an amount to what is paid of it, or take it back.
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
} as const;

export type PayableType = keyof typeof payables;

/** What a payment pays. */
export function paidBy({
  invoiceId,
  receiptId,
  creditNoteId,
}: Pick<Row<'Payment'>, 'invoiceId' | 'receiptId' | 'creditNoteId'>): { type: PayableType; id: string } {
  if (invoiceId) return { type: 'INVOICE', id: invoiceId };
  if (receiptId) return { type: 'RECEIPT', id: receiptId };
  return { type: 'CREDIT_NOTE', id: creditNoteId ?? '' };
}
