import { builder } from '../../graphql/builder.ts';
import type { ReceiptStatus as ReceiptStatuses } from '../../../prisma/generated/client/client.ts';
import { Node } from '../../graphql/node.ts';

export const ReceiptStatus = builder.enumType('ReceiptStatus', {
  description: 'draft → booked → paid. What is booked or paid can be reversed.',
  values: {
    DRAFT: { description: 'Not booked yet.' },
    BOOKED: { description: 'Booked and to be paid; may be partly paid.' },
    PAID: { description: 'Paid in full; booked again when a payment is undone.' },
    REVERSED: { description: 'Taken back, or the receipt that takes another back. Both stay as they are.' },
  } satisfies Record<ReceiptStatuses, object>,
});

export const Receipt = builder.prismaObject('Receipt', {
  interfaces: [Node],
  example: {
    receiptNumber: 'R-2026-88',
    receiptDate: '2026-01-20',
    dueDate: '2026-02-14',
    description: 'Design of the new shop pages',
    category: 'software',
    currency: 'EUR',
    amountGross: '119',
    vatRate: '19',
    vatAmount: '19',
    amountNet: '100',
    amountAdjusted: '0',
    paidAt: null,
    reversalOfId: null,
    reason: null,
    reversedAt: null,
    externalId: null,
    metadata: { cost_center: '4711' },
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    supplierId: t.expose('supplierId', { type: 'UUID', nullable: true }),
    supplier: t.relation('supplier', { ability: 'customers:read', nullable: true }),
    projectId: t.expose('projectId', { type: 'UUID', nullable: true }),
    status: t.expose('status', { type: ReceiptStatus }),
    receiptNumber: t.exposeString('receiptNumber', { nullable: true }),
    receiptDate: t.expose('receiptDate', { type: 'Date' }),
    dueDate: t.expose('dueDate', { type: 'Date', nullable: true }),
    description: t.exposeString('description', { nullable: true }),
    category: t.exposeString('category', { nullable: true }),
    currency: t.exposeString('currency'),
    amountGross: t.expose('amountGross', { type: 'Decimal' }),
    vatRate: t.expose('vatRate', { type: 'Decimal' }),
    vatAmount: t.expose('vatAmount', { type: 'Decimal' }),
    amountNet: t.expose('amountNet', { type: 'Decimal' }),
    amountPaid: t.expose('amountPaid', { type: 'Decimal' }),
    amountAdjusted: t.expose('amountAdjusted', { type: 'Decimal' }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true }),
    reversalOfId: t.expose('reversalOfId', { type: 'UUID', nullable: true }),
    reversalOf: t.relation('reversalOf', { nullable: true }),
    reversal: t.relation('reversal', { nullable: true }),
    reason: t.exposeString('reason', { nullable: true }),
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
