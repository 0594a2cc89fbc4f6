import { Payment } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { ForbiddenError } from '../../errors/errors.ts';
import type { Context } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { listArguments, nestedList, readList } from '../../graphql/lists.ts';
import { paymentInputs } from './filter.ts';
import { CreditNote } from '../credit-note/type.ts';
import { Invoice } from '../invoice/type.ts';
import { Receipt } from '../receipt/type.ts';

const PaymentConnection = builder.connectionObject({ type: Payment, name: 'PaymentConnection' });

/** Payments say what is paid of invoices and of receipts. */
const mayReadReceipts = (_args: object, { may }: Context): void => {
  if (!may('receipts:read')) throw new ForbiddenError('receipts:read');
};

builder.queryFields((t) => ({
  payment: t.prismaField({
    type: Payment,
    nullable: true,
    description: 'One payment or refund, or a reversal of one. Needs `receipts:read`, too.',
    ability: 'invoices:read',
    args: idArgument,
    rules: mayReadReceipts,
    resolve: (query, _root, { id }, context) => findById(context, 'Payment', id, query),
  }),
  payments: t.connection(
    {
      type: Payment,
      description:
        'The ledger of payments: payments of invoices and receipts, refunds of credit notes, and their reversals, newest first. The sum is what is paid. Needs `receipts:read`, too.',
      ability: 'invoices:read',
      args: { ...listArguments(paymentInputs), offset: t.arg.int() },
      rules: mayReadReceipts,
      resolve: (_root, args, context, info) => readList({ context, info }, 'Payment', paymentInputs, args),
    },
    PaymentConnection,
  ),
}));

builder.prismaObjectField(Invoice, 'payments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of this invoice and their reversals, newest first.',
      ...nestedList('Payment', 'invoiceId', 'payments', paymentInputs),
    },
    PaymentConnection,
  ),
);

builder.prismaObjectField(Receipt, 'payments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of this receipt and their reversals, newest first.',
      ...nestedList('Payment', 'receiptId', 'payments', paymentInputs),
    },
    PaymentConnection,
  ),
);

builder.prismaObjectField(CreditNote, 'refunds', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The refunds of this credit note and their reversals, newest first.',
      ...nestedList('Payment', 'creditNoteId', 'refunds', paymentInputs),
    },
    PaymentConnection,
  ),
);
