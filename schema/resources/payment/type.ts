import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';

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
