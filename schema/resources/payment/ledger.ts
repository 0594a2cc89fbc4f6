import type { Prisma, Row } from '../../../prisma/client.ts';
import type { OwnFields } from '../../graphql/input/own-fields.ts';
import { given } from '../../graphql/input/validators.ts';
import { emit, emitAll } from '../../events/events.ts';
import { refuse } from '../../errors/errors.ts';
import { businessTime, key, type Context } from '../../graphql/context.ts';
import { Decimal, sum } from '../../money/money.ts';
import { chooseOpenDay } from '../period-lock/rules.ts';
import type { Adjusted } from './adjustments.ts';
import type { PaymentExchange } from './exchange.ts';
import { requireCredit } from './customer-credit.ts';
import { getColumn, isOfCredit } from './kinds.ts';
import { paidBy, payables } from './payables.ts';

// Payments are a ledger (DECISIONS.md#d137-payments-ledger): rows are added, and none is deleted.

type NewPayment = Prisma.PaymentUncheckedCreateInput;

/** The columns of what a client keeps with a payment that it records. */
export const toOwnColumns = ({ externalId, metadata }: OwnFields) => ({
  externalId: given(externalId),
  metadata: given(metadata),
});

/** Adds a payment or a refund. The document that it pays is locked, and counts it already. */
export async function recordPayment(context: Context, data: NewPayment): Promise<string> {
  const payment = await context.db.payment.create({ data });
  await emit(context, 'payment.recorded', payment);
  return payment.id;
}

/**
 * Adds a payment with its adjustments. The first row is the one that the others are undone with, and has what the client keeps with
 * the payment. An overpayment comes last: it settles nothing that undoing it could make due again. The first row's amount in the home
 * currency depends on the others, so that its event follows them.
 */
export async function recordAdjusted(
  context: Context,
  payment: Omit<NewPayment, 'amount'> & { amount: Decimal },
  { rows }: Pick<Adjusted, 'rows'>,
  exchange: PaymentExchange = {},
): Promise<void> {
  const recorded = payment.amount.isZero()
    ? []
    : [await context.db.payment.create({ data: { ...payment, ...exchange } })];
  const { bankTransactionId, externalId, metadata, ...common } = payment;
  for (const row of rows.toSorted((a, b) => Number(isOfCredit(a)) - Number(isOfCredit(b)))) {
    // The others move no money on an account.
    const money = row.kind === 'OVERPAYMENT' && bankTransactionId ? { bankTransactionId } : {};
    const [first] = recorded;
    const own = first ? {} : { externalId, metadata };
    const data = { ...common, ...own, ...money, ...row, recordedWithId: first?.id ?? null };
    recorded.push(await context.db.payment.create({ data }));
  }
  for (const each of recorded) await emit(context, 'payment.recorded', each);
}

/**
 * Undoes a payment, whose row the caller has locked, and what was recorded with it: adds rows with the opposite amounts, on the day
 * of the payment, or today if a period lock closes that day. The amounts that they settled are due again.
 */
export async function reverse(context: Context, payment: Row<'Payment'>, reason?: string | null): Promise<void> {
  if (payment.reversalOfId) refuse('id', 'wrong_state', 'A reversal can not be undone.');
  if (payment.reversedAt) refuse('id', 'wrong_state', 'This payment is undone already.');
  const all = [payment, ...(await lockRecordedWith(context, payment))];
  // Earlier versions recorded what settles an invoice with an overpayment, which settles nothing itself.
  const { type, id: paid } = paidBy(all.find(({ kind }) => getColumn(kind) !== null) ?? payment);
  const series = [payables[type].series, ...(payment.bankTransactionId ? (['BANK'] as const) : [])];
  const paidOn = await chooseOpenDay(context, series, payment.paidOn, 'paidOn');
  const said = { userId: context.user.id };
  const reversals = [];
  for (const each of all) {
    const { id, kind, invoiceId, receiptId, creditNoteId, customerId, bankTransactionId, currency } = each;
    const { exchangeAmount, exchangeCurrency, exchangeRate } = each;
    await context.db.payment.update({
      where: key(context, id),
      // An adjustment keeps the reason that it was made for.
      data: { ...said, reason: each.reason ?? reason ?? null, reversedAt: businessTime(context) },
    });
    const settles = { kind, invoiceId, receiptId, creditNoteId, customerId, bankTransactionId, currency };
    const exchange = exchangeAmount && {
      exchangeAmount: new Decimal(exchangeAmount).negated(),
      exchangeCurrency,
      exchangeRate,
    };
    const opposite = { reversalOfId: id, amount: new Decimal(each.amount).negated(), paidOn };
    reversals.push(
      await context.db.payment.create({
        data: { ...settles, ...exchange, ...said, reason: reason ?? null, ...opposite },
      }),
    );
  }
  const total = (column: 'paid' | 'adjusted'): Decimal =>
    sum(all.filter(({ kind }) => getColumn(kind) === column).map(({ amount }) => new Decimal(amount)));
  await payables[type].unpay(context, paid, { paid: total('paid'), adjusted: total('adjusted') });
  for (const { kind, customerId, currency, amount } of all)
    if (kind === 'OVERPAYMENT' && customerId)
      await requireCredit(context, customerId, currency, { used: new Decimal(amount), path: 'id' });
  await emitAll(context, [
    ...reversals.map((reversal) => ['payment.recorded', reversal] as const),
    ...all.map(({ id }) => ['payment.reversed', id] as const),
  ]);
}

/** Takes the locks of what was recorded with a payment, and isn't undone. It is of the same invoice or receipt. */
async function lockRecordedWith(
  { db }: Context,
  { id, invoiceId, receiptId, recordedWithId }: Row<'Payment'>,
): Promise<Row<'Payment'>[]> {
  if (recordedWithId !== null || (invoiceId ?? receiptId) === null) return [];
  const found = await db.payment.findMany({
    where: { invoiceId, receiptId, recordedWithId: id, reversedAt: null, reversalOfId: null },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  const locked: Row<'Payment'>[] = [];
  for (const row of found) {
    const adjustment = await db.lock('Payment', row.id, 'no key update');
    if (adjustment && !adjustment.reversedAt) locked.push(adjustment);
  }
  return locked;
}
