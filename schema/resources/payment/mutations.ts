import { amountRules, paidOnRules } from './rules.ts';
import { Payment } from './type.ts';
import { type MutationFields, builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { decimal, text } from '../../graphql/input/validators.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { lockRow, type RowArguments, requireVersion } from '../../rows/locked-row.ts';
import type { Decimal } from '../../money/money.ts';
import { Invoice } from '../invoice/type.ts';
import { key, today } from '../../graphql/context.ts';
import { transitionRow } from '../../rows/transition.ts';
import { payInvoice } from '../invoice/transitions.ts';
import { Receipt } from '../receipt/type.ts';
import { payReceipt } from '../receipt/transitions.ts';
import { CreditNote } from '../credit-note/type.ts';
import { found, ForbiddenError, refuse } from '../../errors.ts';
import { lockRefundable, refund } from '../credit-note/transitions.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { recordPayment, reverse } from './ledger.ts';
import { paidBy, payables } from './payables.ts';

const paymentArgs = (t: MutationFields) => ({
  ...idArgument,
  amount: t.arg({ type: 'Decimal', description: 'Default: the amount due.', validate: decimal({}) }),
  paidOn: t.arg({ type: 'Date', description: "Not in the future. Default: the tenant's today." }),
  ...expectedVersionArgument,
});

interface PaymentArguments extends RowArguments {
  amount?: Decimal | null;
  paidOn?: Date | null;
}

builder.mutationFields((t) => ({
  payInvoice: t.prismaField({
    type: Invoice,
    description:
      'Records a payment without a bank transaction. When nothing is due any more, the invoice becomes paid.',
    ability: 'invoices:write',
    args: paymentArgs(t),
    rules: ({ id, amount, paidOn }, context, problems) => {
      paidOnRules(paidOn, context, problems);
      if (id) amountRules(amount, () => context.db.invoice.findUnique({ where: key(context, id) }), problems);
    },
    ...transitionRow('Invoice', async (inside, invoice, { amount, paidOn }: PaymentArguments) => {
      const day = paidOn ?? today(inside);
      const paid = await payInvoice(inside, invoice, amount);
      await refuseLocked(inside, payables.INVOICE.series, day, 'paidOn');
      await recordPayment(inside, { invoiceId: invoice.id, ...paid, paidOn: day });
      return invoice.id;
    }),
  }),

  payReceipt: t.prismaField({
    type: Receipt,
    description:
      'Records a payment without a bank transaction. When nothing is due any more, the receipt becomes paid.',
    ability: 'receipts:write',
    args: paymentArgs(t),
    rules: ({ id, amount, paidOn }, context, problems) => {
      paidOnRules(paidOn, context, problems);
      if (id) amountRules(amount, () => context.db.receipt.findUnique({ where: key(context, id) }), problems);
    },
    ...transitionRow('Receipt', async (inside, receipt, { amount, paidOn }: PaymentArguments) => {
      const day = paidOn ?? today(inside);
      const paid = await payReceipt(inside, receipt, amount);
      await refuseLocked(inside, payables.RECEIPT.series, day, 'paidOn');
      if (!paid.amount.isZero()) await recordPayment(inside, { receiptId: receipt.id, ...paid, paidOn: day });
      return receipt.id;
    }),
  }),

  refundCreditNote: t.prismaField({
    type: CreditNote,
    description:
      'Records a refund without a bank transaction: money sent for what was paid of the invoice, and then credited.',
    ability: 'invoices:write',
    args: paymentArgs(t),
    rules: ({ id, amount, paidOn }, context, problems) => {
      paidOnRules(paidOn, context, problems);
      if (id) amountRules(amount, () => context.db.creditNote.findUnique({ where: key(context, id) }), problems);
    },
    resolve: (query, _root, { id, amount, paidOn, expectedVersion }, context) =>
      context.transaction(async (inside) => {
        const creditNote = await found(lockRefundable(inside, id));
        requireVersion(creditNote, expectedVersion);
        const day = paidOn ?? today(context);
        const paid = await refund(inside, creditNote, amount);
        await refuseLocked(inside, payables.CREDIT_NOTE.series, day, 'paidOn');
        await recordPayment(inside, { creditNoteId: id, ...paid, paidOn: day });
        return findById(inside, 'CreditNote', id, query);
      }),
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
    // The needed ability depends on what the payment settles.
    rules: async ({ id }, context) => {
      if (!id) return;
      const { type } = paidBy(await findById(context, 'Payment', id));
      const ability = `${payables[type].scope}:write` as const;
      if (!context.may(ability)) throw new ForbiddenError(ability);
    },
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
