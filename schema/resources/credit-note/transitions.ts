import { businessTime, key, type Context } from '../../graphql/context.ts';
import { found, refuse } from '../../errors/errors.ts';
import { emitAll, type EventInput } from '../../events/events.ts';
import { Decimal } from '../../money/money.ts';
import { computeBalance, computeRefundDue } from '../invoice/balance.ts';
import { computePaid, settled, type Paid, type Payable, type Settled } from '../payment/amount.ts';

// Refunds: what was paid, and then credited, is paid back. Each locks the invoice first, and then the credit note, so that
// credit notes, payments, and refunds of an invoice come one after the other.

/** A credit note of which something can be refunded, under the locks of its invoice and of itself. */
interface Refundable extends Payable {
  version: number;
  exchangeCurrency: string | null;
}

/** Takes the locks of a credit note and of its invoice; null if there is no such credit note. */
export async function lockRefundable(context: Context, id: string): Promise<Refundable | null> {
  const known = await context.db.creditNote.findUnique({ where: key(context, id) });
  if (!known) return null;
  const invoice = await found(context.db.lock('Invoice', known.invoiceId, 'no key update'));
  const creditNote = await found(context.db.lock('CreditNote', id, 'no key update'));
  const { currency, exchangeCurrency, version, customerId: partnerId } = creditNote;
  const settledSoFar = { paid: new Decimal(creditNote.amountRefunded), adjusted: new Decimal(0) };
  const due = computeRefundDue(creditNote, invoice);
  return { id, due, ...settledSoFar, currency, exchangeCurrency, version, partnerId };
}

/**
 * Adds `amount`, or by default all that is to be refunded, to a locked credit note's refunds.
 * @returns the amount refunded
 */
export async function refund(context: Context, creditNote: Refundable, amount?: Decimal | null): Promise<Paid> {
  if (creditNote.due.isZero()) refuse('status', 'nothing_left', 'Nothing is to be refunded of this credit note.');
  const paid = computePaid(creditNote, amount);
  await countTowardsCreditNote(context, creditNote, { paid: paid.amount });
  return paid;
}

/** Adds a validated amount to the refunds of a locked credit note, and of its invoice. */
export async function countTowardsCreditNote(
  context: Context,
  { id }: Pick<Payable, 'id'>,
  { paid }: Pick<Settled, 'paid'>,
): Promise<void> {
  const data = { amountRefunded: { increment: paid } };
  const { invoiceId } = await context.db.creditNote.update({ where: key(context, id), data });
  await context.db.invoice.update({ where: key(context, invoiceId), data });
  await emitAll(context, [
    ['credit_note.refund_recorded', id],
    ['invoice.refund_recorded', invoiceId],
  ]);
}

/** Undoes a refund. If nothing is due of an issued invoice then, the invoice is paid. */
export async function unrefund(context: Context, id: string, { paid: amount }: Settled): Promise<void> {
  const { invoiceId } = await found(context.db.creditNote.findUnique({ where: key(context, id) }));
  const invoice = await found(context.db.lock('Invoice', invoiceId, 'no key update'));
  const data = { amountRefunded: { decrement: amount } };
  await context.db.creditNote.update({ where: key(context, id), data });
  const isSettled = invoice.status === 'ISSUED' && computeBalance(invoice).lessThanOrEqualTo(amount);
  const changes = { ...data, ...(isSettled && settled(businessTime(context))) };
  await context.db.invoice.update({ where: key(context, invoiceId), data: changes });
  const events: EventInput[] = [
    ['credit_note.refund_reverted', id],
    ['invoice.refund_reverted', invoiceId],
  ];
  if (isSettled) events.push(['invoice.paid', invoiceId]);
  await emitAll(context, events);
}
