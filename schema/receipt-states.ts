import type { Row } from '../prisma/client.ts';
import { key, type Context } from './context.ts';
import { found, refuse } from './errors.ts';
import { emit } from './events.ts';
import type { Paid, Payable } from './invoice-states.ts';
import { Decimal } from './money.ts';

// A receipt's transitions (decisions, 4): as with invoices, the update that checks the state takes the lock.

/** What a draft becomes when it is booked. */
export const booked = { status: 'BOOKED' } as const;

/** draft → booked. */
export async function book(context: Context, id: string): Promise<Row<'Receipt'>> {
  const [receipt] = await context.db.receipt.updateManyAndReturn({ where: { id, status: 'DRAFT' }, data: booked });
  if (!receipt) {
    await found(context.db.receipt.findUnique({ where: key(context, id) }));
    refuse('status', 'Only a draft can be booked.');
  }
  await emit(context, 'receipt.booked', receipt);
  return receipt;
}

/** Takes the lock of a booked receipt; null for any other. */
export async function lockBooked(context: Context, id: string): Promise<Payable | null> {
  const [receipt] = await context.db.receipt.updateManyAndReturn({
    where: { id, status: 'BOOKED' },
    data: { status: 'BOOKED' },
  });
  if (!receipt) return null;
  return { due: new Decimal(receipt.amountGross).minus(receipt.amountPaid), currency: receipt.currency };
}

/**
 * Counts `amount`, or whatever is due, towards a booked receipt; the last of it makes the receipt paid.
 * @returns what is paid: zero for a receipt of zero
 */
export async function payReceipt(context: Context, id: string, amount?: Decimal | null): Promise<Paid> {
  const receipt = await lockBooked(context, id);
  if (!receipt) refuse('status', 'Only a booked receipt can be paid.');
  const { due, currency } = receipt;
  const paid = amount ?? due;
  if (paid.greaterThan(due)) refuse('amount', `Must not be more than the ${due.toFixed()} ${currency} due.`);
  await context.db.receipt.update({ where: key(context, id), data: { amountPaid: { increment: paid } } });
  if (!paid.equals(due)) return { amount: paid, currency };
  const data = { status: 'PAID', paidAt: context.now() } as const;
  await emit(context, 'receipt.paid', await context.db.receipt.update({ where: key(context, id), data }));
  return { amount: paid, currency };
}

/** Takes a payment back: a paid receipt is booked again. */
export async function unpayReceipt(context: Context, id: string, amount: Decimal): Promise<void> {
  const data = { amountPaid: { decrement: amount }, status: 'BOOKED', paidAt: null } as const;
  await context.db.receipt.update({ where: key(context, id), data });
}
