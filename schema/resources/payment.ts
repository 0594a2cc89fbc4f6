import { builder, type MutationFields } from '../graphql/builder.ts';
import { Node } from '../graphql/node.ts';
import { key, today } from '../graphql/context.ts';
import { ForbiddenError, found, refuse, type Problems } from '../errors.ts';
import { decimal } from '../graphql/input/validators.ts';
import { CreditNote } from './credit-note/credit-note.ts';
import { lockRefundable, refund } from './credit-note/transitions.ts';
import { Invoice } from './invoice/invoice.ts';
import { payInvoice } from './invoice/transitions.ts';
import { Decimal } from '../money/money.ts';
import { periodRules, within } from '../graphql/filters/period.ts';
import { byDay, orderType } from '../graphql/paging/order.ts';
import { readPage } from '../graphql/paging/page.ts';
import { Receipt } from './receipt/receipt.ts';
import { payReceipt } from './receipt/transitions.ts';
import { paidBy, payables } from './payables.ts';
import { decimalsRules } from './payment-amount.ts';
import { requireVersion, type RowArguments } from '../rows/locked-row.ts';
import { transitionRow } from '../rows/transition.ts';
import { findById } from '../graphql/find-by-id.ts';
import { idArgument } from '../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../graphql/input/expected-version.ts';

export const Payment = builder.prismaObject('Payment', {
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id'),
    invoiceId: t.expose('invoiceId', { type: 'UUID', nullable: true }),
    invoice: t.relation('invoice', { ability: 'invoices:read', nullable: true }),
    receiptId: t.expose('receiptId', { type: 'UUID', nullable: true }),
    receipt: t.relation('receipt', { ability: 'receipts:read', nullable: true }),
    creditNoteId: t.expose('creditNoteId', { type: 'UUID', nullable: true }),
    creditNote: t.relation('creditNote', { ability: 'invoices:read', nullable: true }),
    bankTransactionId: t.expose('bankTransactionId', { type: 'UUID', nullable: true }),
    amount: t.expose('amount', { type: 'Decimal' }),
    currency: t.exposeString('currency'),
    paidOn: t.expose('paidOn', { type: 'Date' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const newestFirst = { orderBy: { id: 'desc' } } as const;
builder.prismaObjectField(Invoice, 'payments', (t) => t.relation('payments', { query: newestFirst }));
builder.prismaObjectField(Receipt, 'payments', (t) => t.relation('payments', { query: newestFirst }));
builder.prismaObjectField(CreditNote, 'refunds', (t) => t.relation('refunds', { query: newestFirst }));

const PaymentConnection = builder.connectionObject({ type: Payment, name: 'PaymentConnection' });

const order = orderType('Payment', { PAID_ON: byDay('paidOn', 'The day it was paid.') });

builder.queryField('invoicePayments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of invoices, and the refunds of credit notes, newest first.',
      ability: 'invoices:read',
      args: {
        from: t.arg({ type: 'Date', description: 'Paid on this day or later.' }),
        to: t.arg({ type: 'Date', description: 'Paid on this day or earlier.' }),
        orderBy: t.arg({ type: order.input, description: 'Default: newest first, by when they were recorded.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: (_root, args, context, info) => {
        const where = { receiptId: null, ...((args.from || args.to) && { paidOn: within(args) }) };
        return readPage({ context, info }, 'Payment', args, where, order.columns);
      },
    },
    PaymentConnection,
  ),
);

/**
 * A payment's amount.
 * @param settled the invoice or receipt. Its state and its currency are checked under its lock: see computePaid()
 */
function amountRules(
  amount: Decimal | null | undefined,
  settled: () => PromiseLike<{ currency: string } | null>,
  problems: Problems,
): void {
  if (amount && !amount.greaterThan(0)) problems.add('amount', 'Must be more than zero.');
  problems.defer(async () => {
    const { currency } = await found(settled());
    if (amount) decimalsRules(amount, currency, problems);
  });
}

const paymentArgs = (t: MutationFields) => ({
  ...idArgument,
  amount: t.arg({ type: 'Decimal', description: 'Default: the amount due.', validate: decimal({}) }),
  paidOn: t.arg({ type: 'Date', description: "Default: the tenant's today." }),
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
    rules: ({ id, amount }, context, problems) => {
      if (id) amountRules(amount, () => context.db.invoice.findUnique({ where: key(context, id) }), problems);
    },
    ...transitionRow('Invoice', async (inside, invoice, { amount, paidOn }: PaymentArguments) => {
      const paid = await payInvoice(inside, invoice, amount);
      await inside.db.payment.create({ data: { invoiceId: invoice.id, ...paid, paidOn: paidOn ?? today(inside) } });
      return invoice.id;
    }),
  }),

  payReceipt: t.prismaField({
    type: Receipt,
    description:
      'Records a payment without a bank transaction. When nothing is due any more, the receipt becomes paid.',
    ability: 'receipts:write',
    args: paymentArgs(t),
    rules: ({ id, amount }, context, problems) => {
      if (id) amountRules(amount, () => context.db.receipt.findUnique({ where: key(context, id) }), problems);
    },
    ...transitionRow('Receipt', async (inside, receipt, { amount, paidOn }: PaymentArguments) => {
      const paid = await payReceipt(inside, receipt, amount);
      if (!paid.amount.isZero())
        await inside.db.payment.create({ data: { receiptId: receipt.id, ...paid, paidOn: paidOn ?? today(inside) } });
      return receipt.id;
    }),
  }),

  refundCreditNote: t.prismaField({
    type: CreditNote,
    description:
      'Records a refund without a bank transaction: money sent for what was paid of the invoice, and then credited.',
    ability: 'invoices:write',
    args: paymentArgs(t),
    rules: ({ id, amount }, context, problems) => {
      if (id) amountRules(amount, () => context.db.creditNote.findUnique({ where: key(context, id) }), problems);
    },
    resolve: (query, _root, { id, amount, paidOn, expectedVersion }, context) =>
      context.transaction(async (inside) => {
        const creditNote = await found(lockRefundable(inside, id));
        requireVersion(creditNote, expectedVersion);
        const paid = await refund(inside, creditNote, amount);
        await inside.db.payment.create({ data: { creditNoteId: id, ...paid, paidOn: paidOn ?? today(context) } });
        return findById(inside, 'CreditNote', id, query);
      }),
  }),

  undoPayment: t.prismaField({
    type: Payment,
    description: 'Undoes a payment or a refund, and returns it. Its amount is due again.',
    args: idArgument,
    // The needed ability depends on what the payment settles.
    rules: async ({ id }, context) => {
      if (!id) return;
      const { type } = paidBy(await findById(context, 'Payment', id));
      const ability = `${payables[type].scope}:write` as const;
      if (!context.may(ability)) throw new ForbiddenError(ability);
    },
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        // Payments are immutable, so that no lock is needed. Of two concurrent requests, the second finds no row to delete.
        const payment = await findById(inside, 'Payment', id, query);
        const { bankTransactionId, amount } = payment;
        if (bankTransactionId) refuse('id', 'This payment comes from a bank transaction: undo the match.');
        const { count } = await inside.db.payment.deleteMany({ where: { id } });
        if (count === 0) refuse('id', 'This payment is undone already.');
        const { type, id: paid } = paidBy(payment);
        await payables[type].unpay(inside, paid, new Decimal(amount));
        return payment;
      }),
  }),
}));
