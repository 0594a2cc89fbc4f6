import { Payment } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { listArguments, nestedList } from '../../graphql/lists.ts';
import { listNodes, readPage } from '../../graphql/paging/page.ts';
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

const paymentsOfInvoice = nestedList('Payment', 'invoiceId', paymentInputs);

builder.prismaObjectField(Invoice, 'payments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of this invoice, newest first.',
      args: { ...listArguments(paymentInputs), offset: t.arg.int() },
      select: (args, context, nested) => ({
        id: true,
        payments: nested(paymentsOfInvoice.query(args, context), listNodes('Payment')),
      }),
      resolve: ({ id, payments }, args, context) => paymentsOfInvoice.connect(id, payments, args, context),
    },
    PaymentConnection,
  ),
);

const paymentsOfReceipt = nestedList('Payment', 'receiptId', paymentInputs);

builder.prismaObjectField(Receipt, 'payments', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The payments of this receipt, newest first.',
      args: { ...listArguments(paymentInputs), offset: t.arg.int() },
      select: (args, context, nested) => ({
        id: true,
        payments: nested(paymentsOfReceipt.query(args, context), listNodes('Payment')),
      }),
      resolve: ({ id, payments }, args, context) => paymentsOfReceipt.connect(id, payments, args, context),
    },
    PaymentConnection,
  ),
);

const refundsOfCreditNote = nestedList('Payment', 'creditNoteId', paymentInputs);

builder.prismaObjectField(CreditNote, 'refunds', (t) =>
  t.connection(
    {
      type: Payment,
      description: 'The refunds of this credit note, newest first.',
      args: { ...listArguments(paymentInputs), offset: t.arg.int() },
      select: (args, context, nested) => ({
        id: true,
        refunds: nested(refundsOfCreditNote.query(args, context), listNodes('Payment')),
      }),
      resolve: ({ id, refunds }, args, context) => refundsOfCreditNote.connect(id, refunds, args, context),
    },
    PaymentConnection,
  ),
);
