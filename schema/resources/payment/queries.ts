import { Payment } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { listArguments } from '../../graphql/lists.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { paymentInputs } from './filter.ts';

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
