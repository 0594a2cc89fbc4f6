import { amountRules, externalIdRules, paidOnRules } from './rules.ts';
import { Payment } from './type.ts';
import { type MutationFields, builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { newPaymentArguments, ownFields, type OwnFields } from '../../graphql/input/own-fields.ts';
import { decimal, text } from '../../graphql/input/validators.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { changeRow } from '../../rows/change-row.ts';
import { lockRow, type RowArguments, requireVersion } from '../../rows/locked-row.ts';
import type { Row } from '../../../prisma/client.ts';
import type { Decimal } from '../../money/money.ts';
import { rates } from '../exchange-rate.ts';
import { Invoice } from '../invoice/type.ts';
import { key, today, type Context } from '../../graphql/context.ts';
import { transitionRow } from '../../rows/transition.ts';
import { getPayable as getPayableInvoice } from '../invoice/transitions.ts';
import { Receipt } from '../receipt/type.ts';
import { getPayable as getPayableReceipt } from '../receipt/transitions.ts';
import { CreditNote } from '../credit-note/type.ts';
import { found, ForbiddenError, refuse } from '../../errors/errors.ts';
import { lockRefundable, refund } from '../credit-note/transitions.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { exchangeAt } from './exchange.ts';
import { recordAdjusted, recordPayment, reverse, toOwnColumns } from './ledger.ts';
import { paidBy, payables } from './payables.ts';
import {
  AdjustmentInput,
  adjustmentRules,
  adjustmentsDescription,
  planAdjustments,
  requireNothingDue,
  validateAdjustments,
  type Adjustment,
} from './adjustments.ts';
import { computePaid, toSigned, type Payable } from './amount.ts';

const paymentArgs = (t: MutationFields) => ({
  ...idArgument,
  amount: t.arg({ type: 'Decimal', description: 'Default: the amount due.', validate: decimal({}) }),
  paidOn: t.arg({ type: 'Date', description: "Not in the future. Default: the tenant's today." }),
  exchangeRate: t.arg({
    type: 'Decimal',
    description:
      'What one unit of the currency was worth in the home currency when it was paid. Only where the document has an exchange rate.',
    validate: decimal(rates),
  }),
  ...newPaymentArguments(t),
  ...expectedVersionArgument,
});

const adjustedArgs = (t: MutationFields) => ({
  ...paymentArgs(t),
  amount: t.arg({
    type: 'Decimal',
    description: 'Default: the amount due, less what adjustments settle. With adjustments it can be 0.',
    validate: decimal({}),
  }),
  adjustments: t.arg({ type: [AdjustmentInput], description: adjustmentsDescription, validate: validateAdjustments }),
});

interface PaymentArguments extends RowArguments, OwnFields {
  amount?: Decimal | null;
  paidOn?: Date | null;
  exchangeRate?: Decimal | null;
  adjustments?: Adjustment[] | null;
}

/** Records a payment of a locked invoice or receipt, with its adjustments. */
async function pay(
  context: Context,
  type: 'INVOICE' | 'RECEIPT',
  payable: Payable & Pick<Row<'Invoice'>, 'exchangeCurrency'>,
  { amount, paidOn, exchangeRate, adjustments, ...own }: PaymentArguments,
): Promise<void> {
  const { field, series, pay: countTowards } = payables[type];
  const day = paidOn ?? today(context);
  const planned = planAdjustments(type, payable, adjustments);
  const due = payable.due.minus(planned.paid).minus(planned.adjusted);
  const paid = computePaid({ due, currency: payable.currency }, amount);
  requireNothingDue(payable, planned, paid.amount);
  await countTowards(context, payable, { paid: paid.amount.plus(planned.paid), adjusted: planned.adjusted });
  await refuseLocked(context, series, day, 'paidOn');
  const signed = { ...paid, amount: toSigned(paid.amount, payable) };
  const exchange = exchangeAt(payable, signed.amount, exchangeRate);
  const payment = { [field]: payable.id, ...signed, paidOn: day, ...toOwnColumns(own) };
  await recordAdjusted(context, payment, planned, exchange);
  await planned.requireCredit(context);
}

const UpdatePaymentInput = builder.inputType('UpdatePaymentInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: ownFields,
});

/** The ability that is needed to change a payment depends on what it settles. @throws ForbiddenError */
async function requireAbility(id: string | undefined, context: Context): Promise<void> {
  if (!id) return;
  const { type } = paidBy(await findById(context, 'Payment', id));
  const ability = `${payables[type].scope}:write` as const;
  if (!context.may(ability)) throw new ForbiddenError(ability);
}

/** The change of what clients keep with a payment, which is no part of the books: no period lock closes it. */
const change = changeRow('Payment', {
  rules: () => {},
  data: ({ externalId }: typeof UpdatePaymentInput.$inferInput) => ({ externalId }),
  event: 'payment.updated',
});

builder.mutationFields((t) => ({
  payInvoice: t.prismaField({
    type: Invoice,
    description:
      'Records a payment without a bank transaction. When nothing is due any more, the invoice becomes paid.',
    ability: 'invoices:write',
    args: adjustedArgs(t),
    rules: ({ id, amount, paidOn, adjustments, externalId }, context, problems) => {
      paidOnRules(paidOn, context, problems);
      externalIdRules(externalId, context, problems);
      adjustmentRules(adjustments, problems);
      if (!id) return;
      const find = () => context.db.invoice.findUnique({ where: key(context, id) });
      amountRules(amount, find, problems, Boolean(adjustments));
    },
    ...transitionRow('Invoice', async (inside, invoice, args: PaymentArguments) => {
      const payable =
        getPayableInvoice(invoice) ?? refuse('status', 'wrong_state', 'Only an issued invoice can be paid.');
      await pay(inside, 'INVOICE', { ...payable, exchangeCurrency: invoice.exchangeCurrency }, args);
      return invoice.id;
    }),
  }),

  payReceipt: t.prismaField({
    type: Receipt,
    description:
      'Records a payment without a bank transaction. When nothing is due any more, the receipt becomes paid.',
    ability: 'receipts:write',
    args: adjustedArgs(t),
    rules: ({ id, amount, paidOn, adjustments, externalId }, context, problems) => {
      paidOnRules(paidOn, context, problems);
      externalIdRules(externalId, context, problems);
      adjustmentRules(adjustments, problems);
      if (!id) return;
      const find = () => context.db.receipt.findUnique({ where: key(context, id) });
      amountRules(amount, find, problems, Boolean(adjustments));
    },
    ...transitionRow('Receipt', async (inside, receipt, args: PaymentArguments) => {
      const payable =
        getPayableReceipt(receipt) ?? refuse('status', 'wrong_state', 'Only a booked receipt can be paid.');
      await pay(inside, 'RECEIPT', { ...payable, exchangeCurrency: receipt.exchangeCurrency }, args);
      return receipt.id;
    }),
  }),

  refundCreditNote: t.prismaField({
    type: CreditNote,
    description:
      'Records a refund without a bank transaction: money sent for what was paid of the invoice, and then credited.',
    ability: 'invoices:write',
    args: paymentArgs(t),
    rules: ({ id, amount, paidOn, externalId }, context, problems) => {
      paidOnRules(paidOn, context, problems);
      externalIdRules(externalId, context, problems);
      if (id) amountRules(amount, () => context.db.creditNote.findUnique({ where: key(context, id) }), problems);
    },
    resolve: (query, _root, { id, amount, paidOn, exchangeRate, expectedVersion, ...own }, context) =>
      context.transaction(async (inside) => {
        const creditNote = await found(lockRefundable(inside, id));
        requireVersion(creditNote, expectedVersion);
        const day = paidOn ?? today(context);
        const paid = await refund(inside, creditNote, amount);
        await refuseLocked(inside, payables.CREDIT_NOTE.series, day, 'paidOn');
        const exchange = exchangeAt(creditNote, paid.amount, exchangeRate);
        await recordPayment(inside, { creditNoteId: id, ...paid, paidOn: day, ...exchange, ...toOwnColumns(own) });
        return findById(inside, 'CreditNote', id, query);
      }),
  }),

  updatePayment: t.prismaField({
    type: Payment,
    description: 'Changes the external id or the metadata of a payment or refund, also of one that is undone.',
    args: { ...idArgument, input: t.arg({ type: UpdatePaymentInput, required: true }), ...expectedVersionArgument },
    ...change,
    rules: async (args, context, problems) => {
      await requireAbility(args.id, context);
      change.rules(args, context, problems);
    },
  }),

  reversePayment: t.prismaField({
    type: Payment,
    description:
      'Undoes a payment or a refund, and returns it. Its `reversal` is a row of its own, with the opposite amount and the reason. The amount is due again.',
    args: {
      ...idArgument,
      reason: t.arg.string({ description: 'Why it is undone.', validate: text(500) }),
      ...expectedVersionArgument,
    },
    rules: ({ id }, context) => requireAbility(id, context),
    resolve: (query, _root, { reason, ...target }, context) =>
      context.transaction(async (inside) => {
        const payment = await lockRow(inside, 'Payment', target);
        if (payment.bankTransactionId && !payment.reversedAt)
          refuse('id', 'wrong_state', 'This payment comes from a bank transaction: undo the match.');
        await reverse(inside, payment, reason);
        return findById(inside, 'Payment', payment.id, query);
      }),
  }),
}));
