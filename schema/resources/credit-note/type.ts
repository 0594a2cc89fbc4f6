import { batchPerRequest } from '../../../prisma/batching.ts';
import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { Node } from '../../graphql/node.ts';
import { Decimal } from '../../money/money.ts';
import { byPosition, InvoiceItem } from '../invoice/type.ts';
import { VatShare, VatCategoryShare } from '../vat-share.ts';
import { sharesByRate, readBreakdown } from './vat-breakdown.ts';
import { balanceFields, computeRefundDue } from '../invoice/balance.ts';

export const CreditNoteItem = builder.prismaObject('CreditNoteItem', {
  interfaces: [Node],
  example: {
    title: 'Web design',
    quantity: '2',
    unit: 'h',
    unitPriceNet: '95',
    vatRate: '19',
    lineTotalNet: '190',
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
    invoiceItemId: t.expose('invoiceItemId', { type: 'UUID', nullable: true }),
    position: t.exposeInt('position'),
    title: t.exposeString('title'),
    quantity: t.expose('quantity', { type: 'Decimal' }),
    unit: t.exposeString('unit', { nullable: true }),
    unitPriceNet: t.expose('unitPriceNet', { type: 'Decimal' }),
    vatRate: t.expose('vatRate', { type: 'Decimal' }),
    lineTotalNet: t.expose('lineTotalNet', { type: 'Decimal' }),
    vatCategory: t.exposeString('vatCategory'),
    exemptionReason: t.exposeString('exemptionReason', { nullable: true }),
    unitCode: t.exposeString('unitCode'),
    description: t.exposeString('description', { nullable: true }),
    discountPercent: t.expose('discountPercent', { type: 'Decimal' }),
    servicePeriodStart: t.expose('servicePeriodStart', { type: 'Date', nullable: true }),
    servicePeriodEnd: t.expose('servicePeriodEnd', { type: 'Date', nullable: true }),
  }),
});

export const CreditNote = builder.prismaObject('CreditNote', {
  interfaces: [Node],
  example: {
    number: 'CN-2026-0003',
    invoiceNumber: '2026-0017',
    creditNoteDate: '2026-02-16',
    reason: 'Two hours less than agreed',
    isCancellation: false,
    currency: 'EUR',
    exchangeRate: null,
    exchangeRateDate: null,
    exchangeRateSource: null,
    exchangeCurrency: null,
    totalNet: '190',
    totalVat: '36.1',
    totalGross: '226.1',
    amountRefunded: '0',
    amountDue: '226.1',
    externalId: null,
    metadata: { cost_center: '4711' },
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    number: t.exposeString('number'),
    invoiceId: t.expose('invoiceId', { type: 'UUID' }),
    invoice: t.relation('invoice', { ability: 'invoices:read' }),
    invoiceNumber: t.string({
      description: 'The number of the invoice.',
      select: { invoice: { select: { number: true } } },
      resolve: ({ invoice }) => invoice.number ?? '',
    }),
    customerId: t.expose('customerId', { type: 'UUID' }),
    customer: t.relation('customer', { ability: 'customers:read' }),
    creditNoteDate: t.expose('creditNoteDate', { type: 'Date' }),
    reason: t.exposeString('reason', { nullable: true }),
    isCancellation: t.exposeBoolean('isCancellation'),
    currency: t.exposeString('currency'),
    exchangeRate: t.expose('exchangeRate', { type: 'Decimal', nullable: true }),
    exchangeRateDate: t.expose('exchangeRateDate', { type: 'Date', nullable: true }),
    exchangeRateSource: t.exposeString('exchangeRateSource', { nullable: true }),
    exchangeCurrency: t.exposeString('exchangeCurrency', { nullable: true }),
    items: t.relation('items', { query: byPosition }),
    totalNet: t.expose('totalNet', { type: 'Decimal' }),
    totalVat: t.expose('totalVat', { type: 'Decimal' }),
    totalGross: t.expose('totalGross', { type: 'Decimal' }),
    vatBreakdown: t.field({
      type: [VatShare],
      description: 'VAT per rate, rates ascending.',
      select: { vatBreakdown: true },
      resolve: (creditNote) => sharesByRate(readBreakdown(creditNote.vatBreakdown)),
    }),
    vatBreakdownByCategory: t.field({
      type: [VatCategoryShare],
      description: 'VAT per category and rate, rates ascending.',
      select: { vatBreakdown: true },
      resolve: (creditNote) => readBreakdown(creditNote.vatBreakdown),
    }),
    amountRefunded: t.expose('amountRefunded', { type: 'Decimal' }),
    amountDue: t.field({
      type: 'Decimal',
      description:
        'The amount that is still to refund: at most what was paid of the invoice beyond what is left of it.',
      select: { totalGross: true, amountRefunded: true, invoice: { select: balanceFields } },
      resolve: (creditNote) => computeRefundDue(creditNote, creditNote.invoice),
    }),
    externalId: t.exposeString('externalId', { nullable: true }),
    metadata: t.expose('metadata', { type: 'Metadata' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const creditedQuantity = batchPerRequest(async (ids, context: Context) => {
  const sums = await context.db.creditNoteItem.groupBy({
    by: 'invoiceItemId',
    where: { invoiceItemId: { in: ids } },
    _sum: { quantity: true },
  });
  return new Map(sums.map((sum) => [String(sum.invoiceItemId), new Decimal(sum._sum.quantity?.toFixed() ?? 0)]));
}, new Decimal(0));

builder.prismaObjectField(InvoiceItem, 'quantityLeft', (t) =>
  t.field({
    type: 'Decimal',
    description:
      'The quantity that credit notes have not taken back. Amounts that they credit of a VAT rate take back none.',
    select: { id: true, quantity: true },
    resolve: async ({ id, quantity }, _args, context) =>
      new Decimal(quantity.toFixed()).minus(await creditedQuantity(id, context)),
  }),
);
