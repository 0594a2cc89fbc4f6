import { builder } from '../../graphql/builder.ts';
import type { ReceiptStatus as ReceiptStatuses } from '../../../prisma/generated/client/client.ts';
import { Node } from '../../graphql/node.ts';
import { Decimal } from '../../money/money.ts';
import { selectLines, toLines, type Line } from './lines.ts';

export const ReceiptStatus = builder.enumType('ReceiptStatus', {
  description: 'draft → booked → paid. What is booked or paid can be reversed.',
  values: {
    DRAFT: { description: 'Not booked yet.' },
    BOOKED: { description: 'Booked and to be paid; may be partly paid.' },
    PAID: { description: 'Paid in full; booked again when a payment is undone.' },
    REVERSED: { description: 'Taken back, or the receipt that takes another back. Both stay as they are.' },
  } satisfies Record<ReceiptStatuses, object>,
});

const ReceiptLine = builder.objectRef<Line & { position: number }>('ReceiptLine').implement({
  description: 'One line of a receipt: what the document says of a part of its amount.',
  example: {
    position: 1,
    description: 'Design of the new shop pages',
    account: '4930',
    vatCategory: 'S',
    vatRate: '19',
    deductiblePercent: '100',
    amountNet: '100',
    vatAmount: '19',
    amountGross: '119',
  },
  fields: (t) => ({
    position: t.exposeInt('position', { description: 'Counted from 1.' }),
    description: t.exposeString('description', { nullable: true, description: 'What was bought.' }),
    account: t.exposeString('account', {
      nullable: true,
      description: "The account to book it on: of the tenant's own chart, as text.",
    }),
    vatCategory: t.exposeString('vatCategory', {
      description:
        'S (taxed), Z (0 %), E (exempt), AE (reverse charge), K (acquisition within the EU), IMPORT (import VAT paid to the customs), G (outside the EU), or O (not subject to VAT).',
    }),
    vatRate: t.expose('vatRate', {
      type: 'Decimal',
      description: 'Per cent: 19 for 19 %. With AE and K, what the buyer owes.',
    }),
    deductiblePercent: t.expose('deductiblePercent', {
      type: 'Decimal',
      description: 'How much of the VAT can be deducted, in per cent.',
    }),
    amountNet: t.expose('amountNet', { type: 'Decimal', description: 'Gross minus VAT.' }),
    vatAmount: t.expose('vatAmount', {
      type: 'Decimal',
      description: 'The VAT as the document states it: 0 with AE and K, all of the amount with IMPORT.',
    }),
    amountGross: t.expose('amountGross', { type: 'Decimal', description: 'Net plus VAT.' }),
  }),
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
    exchangeRate: null,
    exchangeRateDate: null,
    exchangeRateSource: null,
    exchangeCurrency: null,
    amountGross: '119',
    vatRate: '19',
    vatAmount: '19',
    amountNet: '100',
    amountPrepaid: '0',
    amountPayable: '119',
    supplierCountry: 'DE',
    serviceDate: '2026-01-19',
    receivedOn: '2026-01-21',
    creditedReceiptId: null,
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
    supplierCountry: t.exposeString('supplierCountry', { nullable: true }),
    supplier: t.relation('supplier', { ability: 'customers:read', nullable: true }),
    projectId: t.expose('projectId', { type: 'UUID', nullable: true }),
    status: t.expose('status', { type: ReceiptStatus }),
    receiptNumber: t.exposeString('receiptNumber', { nullable: true }),
    receiptDate: t.expose('receiptDate', { type: 'Date' }),
    dueDate: t.expose('dueDate', { type: 'Date', nullable: true }),
    serviceDate: t.expose('serviceDate', { type: 'Date', nullable: true }),
    receivedOn: t.expose('receivedOn', { type: 'Date', nullable: true }),
    description: t.exposeString('description', { nullable: true }),
    category: t.exposeString('category', { nullable: true }),
    currency: t.exposeString('currency'),
    exchangeRate: t.expose('exchangeRate', { type: 'Decimal', nullable: true }),
    exchangeRateDate: t.expose('exchangeRateDate', { type: 'Date', nullable: true }),
    exchangeRateSource: t.exposeString('exchangeRateSource', { nullable: true }),
    exchangeCurrency: t.exposeString('exchangeCurrency', { nullable: true }),
    amountGross: t.expose('amountGross', { type: 'Decimal' }),
    lines: t.field({
      type: [ReceiptLine],
      description: 'The lines, ordered by position.',
      select: selectLines,
      resolve: (receipt) => toLines(receipt).map((line, index) => ({ position: index + 1, ...line })),
    }),
    vatRate: t.expose('vatRate', { type: 'Decimal', nullable: true }),
    vatAmount: t.field({
      type: 'Decimal',
      nullable: true,
      select: { vatAmount: true, vatRate: true },
      resolve: ({ vatAmount, vatRate }) => (vatRate === null ? null : vatAmount),
    }),
    amountNet: t.expose('amountNet', { type: 'Decimal' }),
    amountPrepaid: t.expose('amountPrepaid', { type: 'Decimal' }),
    amountPayable: t.field({
      type: 'Decimal',
      description: 'The gross amount less what was prepaid: what is to be paid in all.',
      select: { amountGross: true, amountPrepaid: true },
      resolve: ({ amountGross, amountPrepaid }) => new Decimal(amountGross).minus(amountPrepaid),
    }),
    creditedReceiptId: t.expose('creditedReceiptId', { type: 'UUID', nullable: true }),
    creditedReceipt: t.relation('creditedReceipt', { nullable: true }),
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
