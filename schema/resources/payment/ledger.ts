import type { Row } from '../../../prisma/client.ts';
import { emit, emitAll } from '../../events/events.ts';
import { refuse } from '../../errors.ts';
import { key, type Context } from '../../graphql/context.ts';
import { Decimal } from '../../money/money.ts';
import { chooseOpenDay } from '../period-lock/rules.ts';
import { paidBy, payables } from './payables.ts';

// Payments are a ledger (DECISIONS.md#d137-payments-ledger): rows are added, and none is deleted.

type NewPayment = Parameters<Context['db']['payment']['create']>[0]['data'];

/** Adds a payment or a refund. What it pays is locked, and counts it already. */
export async function recordPayment(context: Context, data: NewPayment): Promise<void> {
  const payment = await context.db.payment.create({ data });
  await emit(context, 'payment.recorded', payment);
}

/**
 * Undoes a payment, whose row the caller has locked: adds a row with the opposite amount, on the day of the payment, or today if
 * a period lock closes that day. What it paid is due again.
 */
export async function reverse(context: Context, payment: Row<'Payment'>, reason?: string | null): Promise<void> {
  if (payment.reversalOfId) refuse('id', 'wrong_state', 'A reversal can not be undone.');
  if (payment.reversedAt) refuse('id', 'wrong_state', 'This payment is undone already.');
  const { type, id: paid } = paidBy(payment);
  const series = [payables[type].series, ...(payment.bankTransactionId ? (['BANK'] as const) : [])];
  const paidOn = await chooseOpenDay(context, series, payment.paidOn, 'paidOn');
  const { id, invoiceId, receiptId, creditNoteId, bankTransactionId, currency } = payment;
  const amount = new Decimal(payment.amount);
  const said = { reason: reason ?? null, userId: context.user.id };
  await context.db.payment.update({ where: key(context, id), data: { ...said, reversedAt: context.now() } });
  const settles = { invoiceId, receiptId, creditNoteId, bankTransactionId, currency };
  const opposite = { reversalOfId: id, amount: amount.negated(), paidOn };
  const reversal = await context.db.payment.create({ data: { ...settles, ...said, ...opposite } });
  await payables[type].unpay(context, paid, amount);
  await emitAll(context, [
    ['payment.recorded', reversal],
    ['payment.reversed', id],
  ]);
}
