import { VatShare, VatCategoryShare } from '../vat-share.ts';
import { builder } from '../../graphql/builder.ts';
import type { InvoiceStatus as InvoiceStatuses } from '../../../prisma/generated/client/client.ts';
import { Node } from '../../graphql/node.ts';
import { categorized, getUnitCode, getVatCategory } from './line.ts';
import { EInvoiceFormatType, formatNamed } from '../../documents/format-types.ts';
import { vatBreakdown, vatBreakdownByCategory } from '../../money/money.ts';
import { balanceFields, computeAmountToRefund, computeAmountDue } from './balance.ts';
import { today } from '../../graphql/context.ts';

export const InvoiceStatus = builder.enumType('InvoiceStatus', {
  description: 'draft → issued → paid, or cancelled while nothing is paid.',
  values: {
    DRAFT: { description: 'Can be changed and deleted; has no number yet.' },
    ISSUED: { description: "Has a number and is to be paid; may be partly paid; can't be changed." },
    PAID: { description: 'Nothing is due: it is paid, credited, or both. Issued again when a payment is undone.' },
    CANCELLED: { description: 'Withdrawn; keeps its number.' },
  } satisfies Record<InvoiceStatuses, object>,
});

export const InvoiceItem = builder.prismaObject('InvoiceItem', {
  interfaces: [Node],
  example: {
    title: 'Web design',
    quantity: '8',
    unit: 'h',
    unitPriceNet: '95',
    vatRate: '19',
    lineTotalNet: '760',
    vatCategory: 'S',
    exemptionReason: null,
    unitCode: 'HUR',
    description: 'Home page and two more',
    discountPercent: '0',
    servicePeriodStart: '2026-01-01',
    servicePeriodEnd: '2026-01-31',
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    position: t.exposeInt('position'),
    title: t.exposeString('title'),
    quantity: t.expose('quantity', { type: 'Decimal' }),
    unit: t.exposeString('unit', { nullable: true }),
    unitPriceNet: t.expose('unitPriceNet', { type: 'Decimal' }),
    vatRate: t.expose('vatRate', { type: 'Decimal' }),
    lineTotalNet: t.expose('lineTotalNet', { type: 'Decimal' }),
    vatCategory: t.string({ select: { vatCategory: true, vatRate: true }, resolve: getVatCategory }),
    exemptionReason: t.exposeString('exemptionReason', { nullable: true }),
    unitCode: t.string({ select: { unit: true, unitCode: true }, resolve: getUnitCode }),
    description: t.exposeString('description', { nullable: true }),
    discountPercent: t.expose('discountPercent', { type: 'Decimal' }),
    servicePeriodStart: t.expose('servicePeriodStart', { type: 'Date', nullable: true }),
    servicePeriodEnd: t.expose('servicePeriodEnd', { type: 'Date', nullable: true }),
  }),
});

export const byPosition = { orderBy: { position: 'asc' } } as const;

export const Invoice = builder.prismaObject('Invoice', {
  interfaces: [Node],
  example: {
    number: '2026-0017',
    invoiceDate: '2026-01-31',
    dueDate: '2026-02-14',
    deliveryDate: '2026-01-31',
    subject: 'Website, January',
    currency: 'EUR',
    exchangeRate: null,
    exchangeRateDate: null,
    exchangeRateSource: null,
    exchangeCurrency: null,
    status: 'ISSUED',
    totalNet: '760',
    totalVat: '144.4',
    totalGross: '904.4',
    amountPaid: '0',
    amountAdjusted: '0',
    amountCredited: '0',
    amountRefunded: '0',
    amountToRefund: '0',
    amountDue: '904.4',
    paidAt: null,
    cancelledAt: null,
    externalId: null,
    metadata: { cost_center: '4711' },
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    number: t.exposeString('number', { nullable: true }),
    customerId: t.expose('customerId', { type: 'UUID' }),
    customer: t.relation('customer', { ability: 'customers:read' }),
    invoiceDate: t.expose('invoiceDate', { type: 'Date' }),
    dueDate: t.expose('dueDate', { type: 'Date' }),
    deliveryDate: t.expose('deliveryDate', { type: 'Date', nullable: true }),
    subject: t.exposeString('subject', { nullable: true }),
    currency: t.exposeString('currency'),
    exchangeRate: t.expose('exchangeRate', { type: 'Decimal', nullable: true }),
    exchangeRateDate: t.expose('exchangeRateDate', { type: 'Date', nullable: true }),
    exchangeRateSource: t.exposeString('exchangeRateSource', { nullable: true }),
    exchangeCurrency: t.exposeString('exchangeCurrency', { nullable: true }),
    status: t.expose('status', { type: InvoiceStatus }),
    items: t.relation('items', { query: byPosition }),
    pdfUrl: t.string({
      description:
        'The address of the PDF in REST, for the same token. A session, which REST does not accept, has `invoicePdf`.',
      select: { id: true },
      resolve: ({ id }, _args, { fileLinks }) => fileLinks.invoicePdf(id),
    }),
    xmlUrl: t.string({
      nullable: true,
      description:
        'The address of the e-invoice in REST, for the same token; null for a draft. It answers 422 if the invoice breaks rules of the format.',
      args: { format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }) },
      select: { id: true, number: true },
      resolve: ({ id, number }, { format }, { fileLinks }) =>
        number === null ? null : fileLinks.invoiceXml(id, formatNamed(format)),
    }),
    totalNet: t.expose('totalNet', { type: 'Decimal' }),
    totalVat: t.expose('totalVat', { type: 'Decimal' }),
    totalGross: t.expose('totalGross', { type: 'Decimal' }),
    vatBreakdown: t.field({
      type: [VatShare],
      description: 'VAT per rate, rates ascending.',
      select: { currency: true, items: byPosition },
      resolve: ({ items, currency }) => vatBreakdown(items, currency),
    }),
    vatBreakdownByCategory: t.field({
      type: [VatCategoryShare],
      description: 'VAT per category and rate, rates ascending.',
      select: { currency: true, items: byPosition },
      resolve: ({ items, currency }) => vatBreakdownByCategory(categorized(items), currency),
    }),
    amountPaid: t.expose('amountPaid', { type: 'Decimal' }),
    amountAdjusted: t.expose('amountAdjusted', { type: 'Decimal' }),
    amountCredited: t.expose('amountCredited', { type: 'Decimal' }),
    amountRefunded: t.expose('amountRefunded', { type: 'Decimal' }),
    amountToRefund: t.field({
      type: 'Decimal',
      description: 'The amount that is still to refund: it was paid, and then credited.',
      select: balanceFields,
      resolve: computeAmountToRefund,
    }),
    amountDue: t.field({
      type: 'Decimal',
      description: 'The amount that is still to pay; 0 once cancelled.',
      select: { amountDue: true, status: true, ...balanceFields },
      // PostgreSQL computes it as well: only a row that isn't written yet has none.
      resolve: (invoice) => (invoice as Partial<typeof invoice>).amountDue ?? computeAmountDue(invoice),
    }),
    isOverdue: t.boolean({
      description: "Issued, not fully paid, and due before the tenant's today.",
      select: { status: true, dueDate: true },
      resolve: ({ status, dueDate }, _args, context) => status === 'ISSUED' && dueDate < today(context),
    }),
    issuedAt: t.expose('issuedAt', { type: 'DateTime', nullable: true }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true }),
    cancelledAt: t.expose('cancelledAt', { type: 'DateTime', nullable: true }),
    externalId: t.exposeString('externalId', { nullable: true }),
    metadata: t.expose('metadata', { type: 'Metadata' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
