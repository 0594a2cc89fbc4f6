import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import { findExchangeDifference } from './exchange.ts';
import { PaymentKind } from './kinds.ts';

export const Payment = builder.prismaObject('Payment', {
  interfaces: [Node],
  example: {
    kind: 'PAYMENT',
    customerId: null,
    recordedWithId: null,
    amount: '904.4',
    currency: 'EUR',
    exchangeAmount: null,
    exchangeCurrency: null,
    exchangeRate: null,
    exchangeDifference: null,
    paidOn: '2026-02-10',
    reversalOfId: null,
    reason: null,
    userId: null,
    reversedAt: null,
    externalId: null,
    metadata: { cost_center: '4711' },
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    kind: t.expose('kind', { type: PaymentKind }),
    invoiceId: t.expose('invoiceId', { type: 'UUID', nullable: true }),
    invoice: t.relation('invoice', { ability: 'invoices:read', nullable: true }),
    receiptId: t.expose('receiptId', { type: 'UUID', nullable: true }),
    receipt: t.relation('receipt', { ability: 'receipts:read', nullable: true }),
    creditNoteId: t.expose('creditNoteId', { type: 'UUID', nullable: true }),
    creditNote: t.relation('creditNote', { ability: 'invoices:read', nullable: true }),
    customerId: t.expose('customerId', { type: 'UUID', nullable: true }),
    customer: t.relation('customer', { ability: 'customers:read', nullable: true }),
    recordedWithId: t.expose('recordedWithId', { type: 'UUID', nullable: true }),
    bankTransactionId: t.expose('bankTransactionId', { type: 'UUID', nullable: true }),
    amount: t.expose('amount', { type: 'Decimal' }),
    currency: t.exposeString('currency'),
    exchangeAmount: t.expose('exchangeAmount', { type: 'Decimal', nullable: true }),
    exchangeCurrency: t.exposeString('exchangeCurrency', { nullable: true }),
    exchangeRate: t.expose('exchangeRate', { type: 'Decimal', nullable: true }),
    exchangeDifference: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        "What it was worth less what it settles at the document's exchange rate, in that `exchange_currency`: a gain is positive, a loss negative. Null where either rate isn't known.",
      select: { id: true, exchangeRate: true },
      resolve: ({ id, exchangeRate }, _args, context) =>
        exchangeRate === null ? null : findExchangeDifference(id, context),
    }),
    paidOn: t.expose('paidOn', { type: 'Date' }),
    reversalOfId: t.expose('reversalOfId', { type: 'UUID', nullable: true }),
    reversalOf: t.relation('reversalOf', { nullable: true }),
    reversal: t.relation('reversal', { nullable: true }),
    reason: t.exposeString('reason', { nullable: true }),
    userId: t.expose('userId', { type: 'UUID', nullable: true }),
    reversedAt: t.expose('reversedAt', { type: 'DateTime', nullable: true }),
    externalId: t.exposeString('externalId', { nullable: true }),
    metadata: t.expose('metadata', { type: 'Metadata' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
