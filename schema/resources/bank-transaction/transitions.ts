import { BankTransaction, MatchType } from './type.ts';
import { type MutationFields, builder } from '../../graphql/builder.ts';
import type {
  MatchStatus as MatchStatuses,
  BankTransaction as BankTransactionRow,
} from '../../../prisma/generated/client/client.ts';
import { type EventType, emit } from '../../events/events.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { refuse, found, type Problem } from '../../errors.ts';
import { key, type Context } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { type PayableType, payables, paidBy } from '../payment/payables.ts';
import { Decimal, minorDigits, sum } from '../../money/money.ts';
import { toSigned, type Payable } from '../payment/amount.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { decimal, text } from '../../graphql/input/validators.ts';
import { counting } from '../payment/filter.ts';
import { recordPayment, reverse } from '../payment/ledger.ts';

/** A part of a transaction's amount, and the invoice, receipt, or credit note that it pays. */
export interface Part {
  type: PayableType;
  id: string;
  /** Always positive. Default: the open amount, at most the amount due. */
  amount?: Decimal | null;
}

/** Locks what a part pays; null unless it is an issued invoice, a booked receipt, or a credit note. */
export const lockPayable = (context: Context, { type, id }: Part): Promise<Payable | null> =>
  payables[type].lock(context, id);

/** The reason why a part pays nothing. */
async function unpayable(context: Context, { type, id }: Part): Promise<Problem> {
  const { name, exists, otherwise } = payables[type];
  return (await exists(context, id)) ? otherwise : ['not_found', `There is no such ${name}.`];
}

/** Sorts by the row that is locked first: of a credit note, its invoice. */
export async function inLockOrder<Of extends Pick<Part, 'type' | 'id'>>(context: Context, parts: Of[]): Promise<Of[]> {
  const ids = parts.filter(({ type }) => type === 'CREDIT_NOTE').map(({ id }) => id);
  const creditNotes = ids.length > 0 ? await context.db.creditNote.findMany({ where: { id: { in: ids } } }) : [];
  const invoices = new Map(creditNotes.map(({ id, invoiceId }) => [id, invoiceId]));
  const locked = ({ id }: Of): string => `${invoices.get(id) ?? id} ${id}`;
  return parts.toSorted((a, b) => (locked(a) < locked(b) ? -1 : 1));
}

const wrongWay = (target: Payable | null): Problem => [
  'inconsistent',
  target?.isCredit
    ? 'Money received pays a supplier’s credit.'
    : 'Money received pays invoices, money sent pays receipts and refunds credit notes.',
];

/** At most this many matches per transaction, so that all can be answered with it. */
const maxMatches = 500;

/**
 * Pays invoices, receipts, or credit notes from a bank transaction. Inside the caller's transaction; locks the bank
 * transaction first and then what it pays in the order of ids, so that concurrent matches can't deadlock.
 * @throws ValidationError, its paths relative to `path`
 */
export async function match(context: Context, id: string, parts: Part[], path = 'matches'): Promise<void> {
  const transaction = await found(context.db.lock('BankTransaction', id, 'no key update'));
  if (transaction.matchStatus !== 'UNMATCHED' && transaction.matchStatus !== 'PARTIALLY_MATCHED')
    refuse('matchStatus', 'wrong_state', 'Only a transaction of which something is open can be matched.');
  const isFirst = transaction.matchStatus === 'UNMATCHED';
  const others = isFirst ? 0 : await context.db.payment.count({ where: { bankTransactionId: id, ...counting } });
  if (others + parts.length > maxMatches)
    refuse(path, 'limit_reached', `A transaction has at most ${maxMatches} matches.`, { max: maxMatches });
  const direction = new Decimal(transaction.amount).isNegative() ? -1 : 1;
  let open = new Decimal(transaction.amountOpen).times(direction);

  const inOrder = await inLockOrder(
    context,
    parts.map((part, index) => ({ ...part, at: `${path}.${index}` })),
  );
  for (const { at, ...part } of inOrder) {
    const { field, scope, series, isPaidByReceived, pay, otherwise } = payables[part.type];
    const isReceived = direction === 1;
    // Only a receipt's row says which money pays it.
    if (part.type !== 'RECEIPT' && isPaidByReceived !== isReceived) refuse(`${at}.type`, ...wrongWay(null));
    await refuseLocked(context, ['BANK', series], transaction.bookingDate, 'bookingDate');
    const target = await lockPayable(context, part);
    if ((isPaidByReceived || target?.isCredit === true) !== isReceived) refuse(`${at}.type`, ...wrongWay(target));
    if (!target) refuse(`${at}.id`, ...(await unpayable(context, part)));
    const { due, currency } = target;
    const mayRead = context.may(`${scope}:read`);
    if (currency !== transaction.currency)
      refuse(
        `${at}.id`,
        'wrong_currency',
        mayRead ? `It is in ${currency}, the transaction in ${transaction.currency}.` : 'It is in another currency.',
      );
    if (part.type === 'CREDIT_NOTE' && due.isZero()) refuse(`${at}.id`, ...otherwise);
    const digits = minorDigits(currency);
    const amount = part.amount ?? Decimal.min(open, due).toDecimalPlaces(digits, Decimal.ROUND_DOWN);
    if (!amount.greaterThan(0))
      refuse(`${at}.amount`, 'wrong_sign', 'Must be more than zero.', { expected: 'positive' });
    if (amount.decimalPlaces() > digits)
      refuse(`${at}.amount`, 'too_many_decimals', `Must not have more than ${digits} decimals in this currency.`, {
        max: digits,
      });
    if (amount.greaterThan(open))
      refuse(`${at}.amount`, 'exceeds_left', `Must not be more than the ${open.toFixed()} ${currency} open.`, {
        left: open.toFixed(),
      });
    if (amount.greaterThan(due))
      refuse(
        `${at}.amount`,
        'exceeds_left',
        mayRead ? `Must not be more than the ${due.toFixed()} ${currency} due.` : 'Must not be more than what is due.',
        mayRead ? { left: due.toFixed() } : {},
      );
    open = open.minus(amount);
    await pay(context, target, amount);
    const paid = { amount: toSigned(amount, target), currency, paidOn: transaction.bookingDate };
    await recordPayment(context, { [field]: part.id, bankTransactionId: id, ...paid });
  }
  await setOpen(context, transaction, open.times(direction));
  await emit(context, 'bank_transaction.matched', id);
}

async function setOpen(context: Context, { id, amount }: BankTransactionRow, amountOpen: Decimal): Promise<void> {
  const untouched = amountOpen.equals(new Decimal(amount));
  const matchStatus = amountOpen.isZero() ? 'MATCHED' : untouched ? 'UNMATCHED' : 'PARTIALLY_MATCHED';
  await context.db.bankTransaction.update({ where: key(context, id), data: { amountOpen, matchStatus } });
}

/** Undoes a transaction's matches, or those with one invoice, receipt, or credit note. Their amounts are due again. */
async function unmatch(
  context: Context,
  id: string,
  matched: string | null | undefined,
  reason: string | null | undefined,
): Promise<void> {
  const transaction = await found(context.db.lock('BankTransaction', id, 'no key update'));
  if (transaction.matchStatus !== 'MATCHED' && transaction.matchStatus !== 'PARTIALLY_MATCHED')
    refuse('matchStatus', 'wrong_state', 'This transaction is not matched.');
  const payments = await context.db.payment.findMany({
    where: {
      bankTransactionId: id,
      ...counting,
      ...(matched && { OR: [{ invoiceId: matched }, { receiptId: matched }, { creditNoteId: matched }] }),
    },
  });
  if (payments.length === 0) refuse('matched', 'wrong_state', 'This transaction is not matched with that.');
  const matches = payments.map((payment) => ({ payment, ...paidBy(payment) }));
  for (const { payment } of await inLockOrder(context, matches)) await reverse(context, payment, reason);
  const direction = new Decimal(transaction.amount).isNegative() ? -1 : 1;
  const back = sum(payments.map((payment) => new Decimal(payment.amount).abs())).times(direction);
  await setOpen(context, transaction, new Decimal(transaction.amountOpen).plus(back));
  await emit(context, 'bank_transaction.unmatched', id);
}

const MatchInput = builder.inputType('MatchInput', {
  description: 'An invoice, receipt, or credit note to pay from a bank transaction.',
  fields: (t) => ({
    type: t.field({
      type: MatchType,
      required: true,
      description: 'An invoice or a supplier’s credit for money received, a receipt or a credit note for money sent.',
    }),
    id: t.field({ type: 'UUID', required: true, description: 'The id of the invoice, receipt, or credit note.' }),
    amount: t.field({
      type: 'Decimal',
      description: 'A positive amount. Default: the open amount, at most the amount due.',
      validate: decimal({}),
    }),
  }),
});

/** unmatched ↔ ignored. */
const change = (
  t: MutationFields,
  [from, to]: [from: MatchStatuses, to: MatchStatuses],
  event: EventType,
  description: string,
  otherwise: string,
) =>
  t.prismaField({
    type: BankTransaction,
    description,
    ability: 'bank-transactions:write',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        const { matchStatus } = await found(inside.db.lock('BankTransaction', id, 'no key update'));
        if (matchStatus !== from) refuse('matchStatus', 'wrong_state', otherwise);
        await inside.db.bankTransaction.update({ where: key(context, id), data: { matchStatus: to } });
        await emit(inside, event, id);
        return findById(inside, 'BankTransaction', id, query);
      }),
  });

builder.mutationFields((t) => ({
  matchBankTransaction: t.prismaField({
    type: BankTransaction,
    description:
      'Pays invoices and suppliers’ credits from money received, or receipts and credit notes from money sent. Several transactions can pay one.',
    ability: 'bank-transactions:write',
    args: {
      ...idArgument,
      matches: t.arg({
        type: [MatchInput],
        required: true,
        description: `At least one; each invoice, receipt, or credit note only once. A transaction has at most ${maxMatches} matches.`,
      }),
    },
    rules: ({ id, matches }, context, problems) => {
      if (id) problems.defer(() => findById(context, 'BankTransaction', id));
      if (matches?.length === 0)
        problems.add('matches', 'required', 'Must name at least one invoice, receipt, or credit note.');
      if (new Set(matches?.map((part) => part?.id)).size !== matches?.length)
        problems.add('matches', 'duplicate', 'Must name each only once.');
    },
    resolve: (query, _root, { id, matches }, context) =>
      context.transaction(async (inside) => {
        await match(inside, id, matches);
        return findById(inside, 'BankTransaction', id, query);
      }),
  }),

  unmatchBankTransaction: t.prismaField({
    type: BankTransaction,
    description: 'Undoes all matches of a transaction, or the one with an invoice, receipt, or credit note.',
    ability: 'bank-transactions:write',
    args: {
      ...idArgument,
      matched: t.arg({
        type: 'UUID',
        description: 'The id of an invoice, receipt, or credit note. Default: all of them.',
      }),
      reason: t.arg.string({
        description: 'Why it is undone, for the reversals of the payments.',
        validate: text(500),
      }),
    },
    resolve: (query, _root, { id, matched, reason }, context) =>
      context.transaction(async (inside) => {
        await unmatch(inside, id, matched, reason);
        return findById(inside, 'BankTransaction', id, query);
      }),
  }),

  ignoreBankTransaction: change(
    t,
    ['UNMATCHED', 'IGNORED'],
    'bank_transaction.ignored',
    'Marks a transaction as one that pays nothing in the books, such as a private one.',
    'Only an unmatched transaction can be ignored.',
  ),
  unignoreBankTransaction: change(
    t,
    ['IGNORED', 'UNMATCHED'],
    'bank_transaction.unignored',
    'Makes an ignored transaction unmatched again.',
    'Only an ignored transaction can be made unmatched.',
  ),
}));
