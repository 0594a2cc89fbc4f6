import type { Row } from '../../../prisma/client.ts';
import { businessTime, key, type Context } from '../../graphql/context.ts';
import { refuse } from '../../errors/errors.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { Receipt } from './type.ts';
import { emit, type EventInput } from '../../events/events.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { Decimal } from '../../money/money.ts';
import type { PrefetchedRow } from '../../graphql/find-by-id.ts';
import { transitionRow, writeSteps, type Step } from '../../rows/transition.ts';
import { allows, transitions } from '../../rows/states.ts';
import type { RowArguments } from '../../rows/locked-row.ts';
import { text } from '../../graphql/input/validators.ts';
import { chooseOpenDay, refuseLocked } from '../period-lock/rules.ts';
import { counting } from '../payment/filter.ts';
import { paymentStep, type Payable, type Settled } from '../payment/amount.ts';
import { byPosition } from '../invoice/type.ts';
import { copyExchange } from '../exchange-rate.ts';
import { computeDue } from './balance.ts';
import { buildLines, negateLines, sumLines, toLines } from './lines.ts';

// A receipt's transitions (DECISIONS.md#d14-transitions). As with invoices, each holds the row's lock.

/** draft → booked. */
export const booking: Step<'Receipt'> = { changes: { status: 'BOOKED' }, events: ['receipt.booked'] };

/** Books a stored receipt. */
async function book(context: Context, receipt: Row<'Receipt'>): Promise<PrefetchedRow> {
  if (!allows(transitions.Receipt.book, receipt.status)) refuse('status', 'not_a_draft', 'Only a draft can be booked.');
  await refuseLocked(context, 'PURCHASES', receipt.receiptDate, 'receiptDate');
  return writeSteps(context, 'Receipt', receipt, [booking]);
}

/** A locked receipt, with the amount to be paid, or to come back of a credit; null unless the receipt is booked. */
export function getPayable(receipt: Row<'Receipt'>): Payable | null {
  const { id, status, currency, creditedReceiptId } = receipt;
  if (!allows(transitions.Receipt.settle, status)) return null;
  const [paid, adjusted] = [new Decimal(receipt.amountPaid).abs(), new Decimal(receipt.amountAdjusted)];
  const due = computeDue(receipt);
  const isCredit = creditedReceiptId !== null;
  return { id, due, paid, adjusted, currency, partnerId: receipt.supplierId, isCredit };
}

/** Takes the lock of a booked receipt; null for any other. */
export async function lockBooked(context: Context, id: string): Promise<Payable | null> {
  const receipt = await context.db.lock('Receipt', id, 'no key update');
  return receipt && getPayable(receipt);
}

/** Adds validated amounts to what is settled of a locked receipt. If nothing is due then, the receipt is paid. */
export async function countTowardsReceipt(context: Context, receipt: Payable, amounts: Settled): Promise<void> {
  const { id } = receipt;
  await writeSteps(context, 'Receipt', { id }, [paymentStep('receipt', receipt, amounts, businessTime(context))]);
}

/** Undoes a payment: a paid receipt is booked again. @param paid with the sign of the payment */
export async function unpayReceipt(context: Context, id: string, { paid, adjusted }: Settled): Promise<void> {
  const data = {
    amountPaid: { decrement: paid },
    ...(!adjusted.isZero() && { amountAdjusted: { decrement: adjusted } }),
    status: 'BOOKED',
    paidAt: null,
  } as const;
  const receipt = await context.db.receipt.update({ where: key(context, id), data });
  await emit(context, 'receipt.payment_reverted', receipt);
}

/**
 * Takes back a receipt of which nothing is paid, and whose row the caller has locked: adds a receipt with the opposite amounts, on
 * the same day, or today if a period lock closes that day. Its id in another system is free again.
 */
export async function reverse(context: Context, receipt: Row<'Receipt'>, reason?: string | null): Promise<void> {
  const { db } = context;
  if (!allows(transitions.Receipt.reverse, receipt.status))
    refuse('status', 'wrong_state', 'Only a booked receipt can be reversed.');
  const paid = await db.payment.findFirst({ where: { receiptId: receipt.id, ...counting }, select: { id: true } });
  if (paid) refuse('id', 'in_use', 'This receipt has payments: undo them first.', { by: 'payments' });
  const credit = await db.receipt.findFirst({
    where: { creditedReceiptId: receipt.id, status: { not: 'REVERSED' } },
    select: { id: true },
  });
  if (credit) refuse('id', 'in_use', 'Credits refer to this receipt: take them back first.', { by: 'receipts' });
  const receiptDate = await chooseOpenDay(context, ['PURCHASES'], receipt.receiptDate, 'receiptDate');
  const { supplierId, projectId, receiptNumber, description, category, currency } = receipt;
  const { serviceDate, receivedOn, creditedReceiptId } = receipt;
  const stored = await db.receiptLine.findMany({ where: { receiptId: receipt.id }, ...byPosition });
  const lines = negateLines(toLines({ ...receipt, lines: stored }));
  const row = db.row('Receipt', {
    supplierId,
    projectId,
    receiptNumber,
    description,
    category,
    currency,
    serviceDate,
    receivedOn,
    creditedReceiptId,
    status: 'REVERSED',
    receiptDate,
    reversalOfId: receipt.id,
    reason: reason ?? null,
    ...copyExchange(receipt),
    amountPrepaid: new Decimal(0).minus(receipt.amountPrepaid),
    ...sumLines(lines),
  });
  const reversal = { ...row, lines: buildLines(db, row.id, lines, currency) };
  const changes = {
    status: 'REVERSED',
    reversedAt: businessTime(context),
    reason: reason ?? null,
    paidAt: null,
    externalId: null,
  } as const;
  await writeSteps(context, 'Receipt', receipt, [{ changes, events: [] }]);
  const events: EventInput[] = [['receipt.reversed', reversal]];
  const rows = { Receipt: [reversal], ReceiptLine: reversal.lines };
  await insertNew(context, 'Receipt', reversal, { rows, events, query: {} });
}

builder.mutationFields((t) => ({
  reverseReceipt: t.prismaField({
    type: Receipt,
    description:
      'Takes back a booked receipt of which nothing is paid, and returns it. Its `reversal` is a receipt with the opposite amounts. In REST, both are as if deleted.',
    ability: 'receipts:write',
    args: {
      ...idArgument,
      reason: t.arg.string({ description: 'Why it is taken back.', validate: text(500) }),
      ...expectedVersionArgument,
    },
    ...transitionRow('Receipt', async (inside, receipt, { reason }: RowArguments & { reason?: string | null }) => {
      await emit(inside, 'receipt.deleted', receipt);
      await reverse(inside, receipt, reason);
      return receipt.id;
    }),
  }),

  bookReceipt: t.prismaField({
    type: Receipt,
    description: 'Books a draft. The receipt is then to be paid.',
    ability: 'receipts:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...transitionRow('Receipt', book),
  }),
}));
