import { Payment } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byDay } from '../../graphql/paging/order.ts';
import { periodRules, byPeriod } from '../../graphql/filters/period.ts';
import { buildFilter } from '../../graphql/filters/filters.ts';
import { readPage } from '../../graphql/paging/page.ts';

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
      resolve: async (_root, args, context, info) => {
        const where = { receiptId: null, ...(await buildFilter(byPeriod('paidOn'), args, context)) };
        return readPage({ context, info }, 'Payment', args, where, order.columns);
      },
    },
    PaymentConnection,
  ),
);
