import type { Row } from '../../../prisma/client.ts';
import { key, type Context } from '../../graphql/context.ts';
import { found, refuse } from '../../errors.ts';
import { emit, emitAll } from '../../events/events.ts';
import { paidOf, type Paid, type Payable } from '../invoice/transitions.ts';
import { Decimal } from '../../money/money.ts';
import { findById } from '../../graphql/find-by-id.ts';

// A receipt's transitions (DECISIONS.md#d14-transitions). As with invoices, each locks the row before it reads the state.

/** The changes to a draft that is booked. */
export const booked = { status: 'BOOKED' } as const;

/** draft → booked. */
export async function book(context: Context, id: string): Promise<Row<'Receipt'>> {
  const { status } = await found(context.db.lock('Receipt', id, 'no key update'));
  if (status !== 'DRAFT') refuse('status', 'Only a draft can be booked.');
  const receipt = await context.db.receipt.update({ where: key(context, id), data: booked });
  await emit(context, 'receipt.booked', receipt);
  return receipt;
}

/** Takes the lock of a booked receipt; null for any other. */
export async function lockBooked(context: Context, id: string): Promise<Payable | null> {
  const receipt = await context.db.lock('Receipt', id, 'no key update');
  if (receipt?.status !== 'BOOKED') return null;
  return { id, due: new Decimal(receipt.amountGross).minus(receipt.amountPaid), currency: receipt.currency };
}

/**
 * Adds `amount`, or by default the due amount, to a booked receipt's payments. If nothing is due then, the receipt is paid.
 * @returns the amount paid: zero for a receipt of zero
 */
export async function payReceipt(context: Context, id: string, amount?: Decimal | null): Promise<Paid> {
  const receipt = await lockBooked(context, id);
  if (!receipt) {
    await findById(context, 'Receipt', id);
    refuse('status', 'Only a booked receipt can be paid.');
  }
  const paid = paidOf(receipt, amount);
  await countTowardsReceipt(context, receipt, paid.amount);
  return paid;
}

/** Adds a validated amount to the payments of a locked receipt. */
export async function countTowardsReceipt(context: Context, { id, due }: Payable, amount: Decimal): Promise<void> {
  const isAll = amount.equals(due);
  const data = { amountPaid: { increment: amount }, ...(isAll && { status: 'PAID' as const, paidAt: context.now() }) };
  const receipt = await context.db.receipt.update({ where: key(context, id), data });
  await emitAll(context, [
    ...(amount.isZero() ? [] : [['receipt.payment_recorded', receipt] as const]),
    ...(isAll ? [['receipt.paid', receipt] as const] : []),
  ]);
}

/** Undoes a payment: a paid receipt is booked again. */
export async function unpayReceipt(context: Context, id: string, amount: Decimal): Promise<void> {
  const data = { amountPaid: { decrement: amount }, status: 'BOOKED', paidAt: null } as const;
  const receipt = await context.db.receipt.update({ where: key(context, id), data });
  await emit(context, 'receipt.payment_reverted', receipt);
}
