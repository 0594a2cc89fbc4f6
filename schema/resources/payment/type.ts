import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';

export const Payment = builder.prismaObject('Payment', {
  interfaces: [Node],
  example: {
    amount: '904.4',
    currency: 'EUR',
    paidOn: '2026-02-10',
    reversalOfId: null,
    reason: null,
    userId: null,
    reversedAt: null,
  },
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
    reversalOfId: t.expose('reversalOfId', { type: 'UUID', nullable: true }),
    reversalOf: t.relation('reversalOf', { nullable: true }),
    reversal: t.relation('reversal', { nullable: true }),
    reason: t.exposeString('reason', { nullable: true }),
    userId: t.expose('userId', { type: 'UUID', nullable: true }),
    reversedAt: t.expose('reversedAt', { type: 'DateTime', nullable: true }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
