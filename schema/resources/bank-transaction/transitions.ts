import { BankTransaction, MatchType } from './type.ts';
import { type MutationFields, builder } from '../../graphql/builder.ts';
import type { MatchStatus as MatchStatuses } from '../../../prisma/generated/client/client.ts';
import { type EventType, emit } from '../../events/events.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { refuse, found } from '../../errors/errors.ts';
import { key, type Context } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import {
  AdjustmentInput,
  adjustmentRules,
  adjustmentsDescription,
  validateAdjustments,
} from '../payment/adjustments.ts';
import { getBankAmount, paidBy } from '../payment/payables.ts';
import { Decimal, sum } from '../../money/money.ts';
import { newPaymentFields } from '../../graphql/input/own-fields.ts';
import { decimal, text } from '../../graphql/input/validators.ts';
import { counting } from '../payment/filter.ts';
import { allows, transitions } from '../../rows/states.ts';
import { reverse } from '../payment/ledger.ts';
import { externalIdRules } from '../payment/rules.ts';
import { inLockOrder, match, maxMatches, setOpen } from './match.ts';

/** Undoes a transaction's matches, or those with one invoice, receipt, credit note, or customer. Their amounts are due again. */
async function unmatch(
  context: Context,
  id: string,
  matched: string | null | undefined,
  reason: string | null | undefined,
): Promise<void> {
  const transaction = await found(context.db.lock('BankTransaction', id, 'no key update'));
  if (!allows(transitions.BankTransaction.unmatch, transaction.matchStatus))
    refuse('matchStatus', 'wrong_state', 'This transaction is not matched.');
  const payments = await context.db.payment.findMany({
    where: {
      bankTransactionId: id,
      ...counting,
      ...(matched && {
        OR: [{ invoiceId: matched }, { receiptId: matched }, { creditNoteId: matched }, { customerId: matched }],
      }),
    },
  });
  if (payments.length === 0) refuse('matched', 'wrong_state', 'This transaction is not matched with that.');
  const back = sum(payments.map(getBankAmount));
  const amountOpen = new Decimal(transaction.amountOpen).plus(back);
  const amount = new Decimal(transaction.amount);
  if (amountOpen.times(amount).isNegative() || amountOpen.abs().greaterThan(amount.abs()))
    refuse('matched', 'inconsistent', 'It nets with other matches of this transaction: undo all of them.');
  // Rows that were recorded with a payment are undone with it. Of what went beyond an invoice to the credit, both can be named.
  const ids = new Set<string | null>(payments.map((payment) => payment.id));
  const matches = payments
    .filter(({ recordedWithId }) => !ids.has(recordedWithId))
    .map((payment) => ({ payment, ...paidBy(payment) }));
  for (const { payment } of await inLockOrder(context, matches)) await reverse(context, payment, reason);
  await setOpen(context, transaction, amountOpen);
  await emit(context, 'bank_transaction.unmatched', id);
}

const MatchInput = builder.inputType('MatchInput', {
  description: 'What to pay from a bank transaction.',
  fields: (t) => ({
    type: t.field({
      type: MatchType,
      required: true,
      description:
        'An invoice or a supplier’s credit for money received, a receipt or a credit note for money sent; together they are netted. Or a customer, whose credit is paid in or refunded.',
    }),
    id: t.field({
      type: 'UUID',
      required: true,
      description: 'The id of the invoice, receipt, credit note, or customer.',
    }),
    amount: t.field({
      type: 'Decimal',
      description:
        'A positive amount, in the currency of what is paid. Default: the open amount, at most the amount due; the amount due where matches are netted, or the currency is another one.',
      validate: decimal({}),
    }),
    exchangeAmount: t.field({
      type: 'Decimal',
      description:
        "The same in the transaction's currency, where what is paid is in another one. The payment keeps both, and their rate.",
      validate: decimal({}),
    }),
    adjustments: t.field({
      type: [AdjustmentInput],
      description: adjustmentsDescription,
      validate: validateAdjustments,
    }),
    ...newPaymentFields(t),
  }),
});

/** unmatched ↔ ignored. */
const change = (
  t: MutationFields,
  transition: { from: readonly MatchStatuses[]; to: readonly [MatchStatuses] },
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
        if (!allows(transition, matchStatus)) refuse('matchStatus', 'wrong_state', otherwise);
        await inside.db.bankTransaction.update({ where: key(context, id), data: { matchStatus: transition.to[0] } });
        await emit(inside, event, id);
        return findById(inside, 'BankTransaction', id, query);
      }),
  });

builder.mutationFields((t) => ({
  matchBankTransaction: t.prismaField({
    type: BankTransaction,
    description:
      'Pays invoices and suppliers’ credits from money received, or receipts and credit notes from money sent. Several transactions can pay one. What is of one customer or supplier is netted: the sum is the amount of the match.',
    ability: 'bank-transactions:write',
    args: {
      ...idArgument,
      matches: t.arg({
        type: [MatchInput],
        required: true,
        description: `At least one; each invoice, receipt, credit note, or customer only once. A transaction has at most ${maxMatches} matches.`,
      }),
    },
    rules: ({ id, matches }, context, problems) => {
      if (id) problems.defer(() => findById(context, 'BankTransaction', id));
      if (matches?.length === 0)
        problems.add('matches', 'required', 'Must name at least one invoice, receipt, or credit note.');
      if (new Set(matches?.map((part) => part?.id)).size !== matches?.length)
        problems.add('matches', 'duplicate', 'Must name each only once.');
      const externalIds = new Set<string>();
      for (const [index, part] of (matches ?? []).entries()) {
        const at = `matches.${index}`;
        adjustmentRules(part?.adjustments, problems, `${at}.adjustments`);
        const externalId = part?.externalId;
        if (externalId == null) continue;
        if (externalIds.has(externalId))
          problems.add(`${at}.externalId`, 'duplicate', 'An earlier match has the same external id.');
        externalIds.add(externalId);
        externalIdRules(externalId, context, problems, `${at}.externalId`);
      }
    },
    resolve: (query, _root, { id, matches }, context) =>
      context.transaction(async (inside) => {
        await match(inside, id, matches);
        return findById(inside, 'BankTransaction', id, query);
      }),
  }),

  unmatchBankTransaction: t.prismaField({
    type: BankTransaction,
    description:
      'Undoes all matches of a transaction, or the one with an invoice, receipt, credit note, or customer, with what was recorded with it.',
    ability: 'bank-transactions:write',
    args: {
      ...idArgument,
      matched: t.arg({
        type: 'UUID',
        description: 'The id of an invoice, receipt, credit note, or customer. Default: all of them.',
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
    transitions.BankTransaction.ignore,
    'bank_transaction.ignored',
    'Marks a transaction as one that pays nothing in the books, such as a private one.',
    'Only an unmatched transaction can be ignored.',
  ),
  unignoreBankTransaction: change(
    t,
    transitions.BankTransaction.unignore,
    'bank_transaction.unignored',
    'Makes an ignored transaction unmatched again.',
    'Only an ignored transaction can be made unmatched.',
  ),
}));
