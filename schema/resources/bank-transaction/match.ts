import type { BankTransaction as BankTransactionRow } from '../../../prisma/generated/client/client.ts';
import { emit } from '../../events/events.ts';
import { refuse, found, type Problem } from '../../errors/errors.ts';
import { key, type Context } from '../../graphql/context.ts';
import type { OwnFields } from '../../graphql/input/own-fields.ts';
import { Decimal, isCurrency, minorDigits } from '../../money/money.ts';
import {
  planAdjustments,
  refuseMore,
  requireNothingDue,
  type Adjusted,
  type Adjustment,
} from '../payment/adjustments.ts';
import { checkBankDecimals, checkDecimals, toSigned, type Payable } from '../payment/amount.ts';
import { readCredit } from '../payment/customer-credit.ts';
import { counting } from '../payment/filter.ts';
import { rates } from '../exchange-rate.ts';
import { recordAdjusted, toOwnColumns } from '../payment/ledger.ts';
import { type PayableType, payables } from '../payment/payables.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { allows, transitions } from '../../rows/states.ts';

/** A part of a transaction's amount, and what it pays. */
export interface Part extends OwnFields {
  type: PayableType;
  id: string;
  /** Never negative, in the currency of what is paid. Default: the open amount, at most the amount due. */
  amount?: Decimal | null;
  /** The amount in the transaction's currency, where that is another one. */
  exchangeAmount?: Decimal | null;
  adjustments?: Adjustment[] | null;
}

/** Locks what a part pays; null unless it is an issued invoice, a booked receipt, a credit note, or a customer. */
export const lockPayable = (context: Context, { type, id }: Part): Promise<Payable | null> =>
  payables[type].lock(context, id);

/** The reason why a part pays nothing. */
async function unpayable(context: Context, { type, id }: Part): Promise<Problem> {
  const { name, exists, otherwise } = payables[type];
  return (await exists(context, id)) ? otherwise : ['not_found', `There is no such ${name}.`];
}

/** Sorts by the row that is locked first: of a credit note, its invoice. Customers are locked after all others. */
export async function inLockOrder<Of extends Pick<Part, 'type' | 'id'>>(context: Context, parts: Of[]): Promise<Of[]> {
  const ids = parts.filter(({ type }) => type === 'CREDIT_NOTE').map(({ id }) => id);
  const creditNotes = ids.length > 0 ? await context.db.creditNote.findMany({ where: { id: { in: ids } } }) : [];
  const invoices = new Map(creditNotes.map(({ id, invoiceId }) => [id, invoiceId]));
  const locked = ({ type, id }: Of): string => `${type === 'CUSTOMER' ? 1 : 0} ${invoices.get(id) ?? id} ${id}`;
  return parts.toSorted((a, b) => (locked(a) < locked(b) ? -1 : 1));
}

/** The receipts that are a supplier's credit, which money received pays. Only a receipt's row says so. */
async function findCredits(context: Context, parts: Part[]): Promise<Set<string>> {
  const ids = parts.filter(({ type }) => type === 'RECEIPT').map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const where = { id: { in: ids }, creditedReceiptId: { not: null } };
  const credits = await context.db.receipt.findMany({ where, select: { id: true } });
  return new Set(credits.map(({ id }) => id));
}

/** At most this many matches per transaction, so that all can be answered with it. */
export const maxMatches = 500;

/**
 * Pays invoices, receipts, or credit notes from a bank transaction, or changes a customer's credit. Inside the caller's
 * transaction; locks the bank transaction first and then what it pays in the order of ids, so that concurrent matches can't
 * deadlock.
 * @throws ValidationError, its paths relative to `path`
 */
export async function match(context: Context, id: string, parts: Part[], path = 'matches'): Promise<void> {
  const transaction = await found(context.db.lock('BankTransaction', id, 'no key update'));
  if (!allows(transitions.BankTransaction.match, transaction.matchStatus))
    refuse('matchStatus', 'wrong_state', 'Only a transaction of which something is open can be matched.');
  const isFirst = transaction.matchStatus === 'UNMATCHED';
  const others = isFirst ? 0 : await context.db.payment.count({ where: { bankTransactionId: id, ...counting } });
  if (others + parts.length > maxMatches)
    refuse(path, 'limit_reached', `A transaction has at most ${maxMatches} matches.`, { max: maxMatches });
  const direction = new Decimal(transaction.amount).isNegative() ? -1 : 1;
  const allOpen = new Decimal(transaction.amountOpen).times(direction);
  let open = allOpen;

  const inOrder = await inLockOrder(
    context,
    parts.map((part, index) => ({ ...part, at: `${path}.${index}` })),
  );
  const credits = await findCredits(context, parts);
  /** Whether a part takes money of the transaction, or nets with one that does. */
  const isPaid = ({ type, id: paid }: Part): boolean =>
    (credits.has(paid) || (payables[type].isPaidByReceived ?? direction === 1)) === (direction === 1);
  const isNetting = parts.some(isPaid) && !parts.every(isPaid);
  let partner: string | null | undefined;
  const planned: Adjusted[] = [];
  for (const { at, ...part } of inOrder) {
    const { scope, series, otherwise } = payables[part.type];
    if (!isNetting && !isPaid(part))
      refuse(
        `${at}.type`,
        'inconsistent',
        credits.has(part.id)
          ? 'Money received pays a supplier’s credit.'
          : 'Money received pays invoices, money sent pays receipts and refunds credit notes.',
      );
    await refuseLocked(context, ['BANK', series], transaction.bookingDate, 'bookingDate');
    const target = await lockPayable(context, part);
    if (!target) refuse(`${at}.id`, ...(await unpayable(context, part)));
    partner ??= target.partnerId;
    if (isNetting && (partner === null || target.partnerId !== partner))
      refuse(`${at}.id`, 'inconsistent', 'Only what is of one customer or supplier can be netted.');
    const mayRead = context.may(`${scope}:read`);
    const { payable, bankAmount } = await planPart(context, transaction, part, target, { at, mayRead, direction });
    const { currency } = payable;
    if (part.type === 'CREDIT_NOTE' && payable.due.isZero()) refuse(`${at}.id`, ...otherwise);
    const adjusted = planAdjustments(part.type, payable, part.adjustments, { path: `${at}.adjustments`, mayRead });
    const due = payable.due.minus(adjusted.paid).minus(adjusted.adjusted);
    const left = isNetting || bankAmount ? due : Decimal.min(open.minus(adjusted.overpaid), due);
    if (!part.amount && !left.isFinite()) refuse(`${at}.amount`, 'required', 'Required where matches are netted.');
    const amount = part.amount ?? left.toDecimalPlaces(minorDigits(currency), Decimal.ROUND_DOWN);
    if (!amount.greaterThan(0))
      refuse(`${at}.amount`, 'wrong_sign', 'Must be more than zero.', { expected: 'positive' });
    checkDecimals(amount, currency, `${at}.amount`);
    const moved = bankAmount ?? amount.plus(adjusted.overpaid);
    if (!isNetting && moved.greaterThan(open)) {
      const most = open.minus(adjusted.overpaid).toFixed();
      refuse(
        bankAmount ? `${at}.exchangeAmount` : `${at}.amount`,
        'exceeds_left',
        `Must not be more than the ${most} ${transaction.currency} open.`,
        { left: most },
      );
    }
    if (amount.greaterThan(due)) refuseMore(`${at}.amount`, due, currency, mayRead);
    requireNothingDue(payable, adjusted, amount, `${at}.adjustments`);
    open = open.minus(isPaid(part) ? moved : moved.negated());
    await record(context, transaction, part, { payable, amount, bankAmount, adjusted, direction, at });
    planned.push(adjusted);
  }
  if (isNetting && !(open.lessThan(allOpen) && open.greaterThanOrEqualTo(0)))
    refuse(
      path,
      'exceeds_left',
      `Together they must be more than zero, and not more than the ${allOpen.toFixed()} ${transaction.currency} open.`,
      { left: allOpen.toFixed() },
    );
  for (const { requireCredit } of planned) await requireCredit(context);
  await setOpen(context, transaction, open.times(direction));
  await emit(context, 'bank_transaction.matched', id);
}

interface Place {
  at: string;
  mayRead: boolean;
  direction: 1 | -1;
}

/** The payable of a part, in its currency; and the amount on the account, where that is in another currency. */
async function planPart(
  context: Context,
  { currency }: BankTransactionRow,
  { type, exchangeAmount }: Part,
  target: Payable,
  { at, mayRead, direction }: Place,
): Promise<{ payable: Payable; bankAmount: Decimal | undefined }> {
  if (type === 'CUSTOMER' && !isCurrency(currency))
    refuse(`${at}.id`, 'wrong_currency', `Credit is in a currency of ISO 4217, the transaction in ${currency}.`);
  // A customer's credit is in the currency of the account.
  const payable = type === 'CUSTOMER' ? { ...target, currency } : target;
  if (type === 'CUSTOMER')
    payable.due = direction === 1 ? new Decimal(Infinity) : await readCredit(context, target.id, currency);
  const isForeign = payable.currency !== currency;
  if (isForeign && !exchangeAmount)
    refuse(
      `${at}.id`,
      'wrong_currency',
      mayRead ? `It is in ${payable.currency}, the transaction in ${currency}.` : 'It is in another currency.',
    );
  if (!exchangeAmount) return { payable, bankAmount: undefined };
  if (!isForeign)
    refuse(`${at}.exchangeAmount`, 'inconsistent', 'It is in the currency of the transaction: nothing is exchanged.');
  if (!exchangeAmount.greaterThan(0))
    refuse(`${at}.exchangeAmount`, 'wrong_sign', 'Must be more than zero.', { expected: 'positive' });
  checkBankDecimals(exchangeAmount, currency, `${at}.exchangeAmount`);
  return { payable, bankAmount: exchangeAmount };
}

interface PlannedPart {
  payable: Payable;
  amount: Decimal;
  bankAmount: Decimal | undefined;
  adjusted: Adjusted;
  direction: 1 | -1;
  at: string;
}

/** Counts a part towards what it pays, and adds its payments. */
async function record(
  context: Context,
  { id: bankTransactionId, bookingDate: paidOn, currency: exchangeCurrency }: BankTransactionRow,
  { type, id, externalId, metadata }: Part,
  { payable, amount, bankAmount, adjusted, direction, at }: PlannedPart,
): Promise<void> {
  const { field, pay } = payables[type];
  const exchangeRate = bankAmount?.dividedBy(amount).toDecimalPlaces(rates.decimals);
  if (exchangeRate && (exchangeRate.lessThan(rates.min) || exchangeRate.greaterThan(rates.max)))
    refuse(`${at}.exchangeAmount`, 'out_of_range', 'No currency is worth so much of another one.', rates);
  if (bankAmount && !adjusted.overpaid.isZero())
    refuse(`${at}.adjustments`, 'inconsistent', "Match the customer's credit in the currency of the account.");
  await pay(context, payable, { paid: amount.plus(adjusted.paid), adjusted: adjusted.adjusted });
  const signed = toSigned(amount, payable);
  const payment = { [field]: id, bankTransactionId, amount: signed, currency: payable.currency, paidOn };
  const exchange = exchangeRate &&
    bankAmount && { exchangeAmount: toSigned(bankAmount, payable), exchangeCurrency, exchangeRate };
  const kind = type === 'CUSTOMER' ? (direction === 1 ? 'OVERPAYMENT' : 'CREDIT_REFUND') : 'PAYMENT';
  const own = toOwnColumns({ externalId, metadata });
  await recordAdjusted(context, { ...payment, kind, ...own }, adjusted, exchange);
}

/** How much of a transaction is open, and the state that says so. */
export async function setOpen(
  context: Context,
  { id, amount }: BankTransactionRow,
  amountOpen: Decimal,
): Promise<void> {
  const untouched = amountOpen.equals(new Decimal(amount));
  const matchStatus = amountOpen.isZero() ? 'MATCHED' : untouched ? 'UNMATCHED' : 'PARTIALLY_MATCHED';
  await context.db.bankTransaction.update({ where: key(context, id), data: { amountOpen, matchStatus } });
}
