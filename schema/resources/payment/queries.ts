import { Payment } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { listArguments, nestedList } from '../../graphql/lists.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { paymentInputs } from './filter.ts';
import { CreditNote } from '../credit-note/type.ts';
import { Invoice } from '../invoice/type.ts';
import { Receipt } from '../receipt/type.ts';

const PaymentConnection = builder.connectionObject({ type: Payment, name: 'PaymentConnection' });

builder.queryField('invoicePayments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of invoices, and the refunds of credit notes, newest first.',
      ability: 'invoices:read',
      args: { ...listArguments(paymentInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => {
        const { filter, order } = paymentInputs;
        const where = { AND: [{ receiptId: null }, filter.toCondition(args.filter, context)] };
        return readPage({ context, info }, 'Payment', args, where, order.columns);
      },
    },
    PaymentConnection,
  ),
);

builder.prismaObjectField(Invoice, 'payments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of this invoice, newest first.',
      ...nestedList('Payment', 'invoiceId', 'payments', paymentInputs),
    },
    PaymentConnection,
  ),
);

builder.prismaObjectField(Receipt, 'payments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of this receipt, newest first.',
      ...nestedList('Payment', 'receiptId', 'payments', paymentInputs),
    },
    PaymentConnection,
  ),
);

builder.prismaObjectField(CreditNote, 'refunds', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The refunds of this credit note, newest first.',
      ...nestedList('Payment', 'creditNoteId', 'refunds', paymentInputs),
    },
    PaymentConnection,
  ),
);
