import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { builder } from '../../graphql/builder.ts';
import { joinConditions, searchText, wordsIn } from '../../graphql/filters/search.ts';
import { periodRules, within } from '../../graphql/filters/period.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSince, updatedSinceArgument } from '../../graphql/filters/updated-since.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { Node } from '../../graphql/node.ts';
import { byDay, byDecimal, byText, orderType } from '../../graphql/paging/order.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { containingOrPartner } from '../customer.ts';
import { balanceFields, computeRefundDue } from '../invoice/balance.ts';
import { byPosition, Invoice, VatCategoryShare, VatShare } from '../invoice/invoice.ts';
import { readBreakdown, sharesByRate } from './vat-breakdown.ts';

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
    totalNet: '190',
    totalVat: '36.1',
    totalGross: '226.1',
    amountRefunded: '0',
    amountDue: '226.1',
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
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const newestFirst = { orderBy: { id: 'desc' } } as const;
builder.prismaObjectField(Invoice, 'creditNotes', (t) => t.relation('creditNotes', { query: newestFirst }));

const CreditNoteConnection = builder.connectionObject({ type: CreditNote, name: 'CreditNoteConnection' });

const order = orderType('CreditNote', {
  NUMBER: byText('number', 'The number.'),
  CREDIT_NOTE_DATE: byDay('creditNoteDate', 'The day of the credit note.'),
  TOTAL_GROSS: byDecimal('totalGross', 'The gross total, whatever the currency.'),
});

builder.queryFields((t) => ({
  creditNote: t.prismaField({
    type: CreditNote,
    description: 'One credit note.',
    ability: 'invoices:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'CreditNote', id, query),
  }),
  creditNotes: t.connection(
    {
      type: CreditNote,
      description: 'The credit notes, newest first.',
      ability: 'invoices:read',
      args: {
        invoiceId: t.arg({ type: 'UUID', description: 'Only credit notes of this invoice.' }),
        customerId: t.arg({ type: 'UUID', description: 'Only credit notes of this customer.' }),
        from: t.arg({ type: 'Date', description: 'Dated on this day or later.' }),
        to: t.arg({ type: 'Date', description: 'Dated on this day or earlier.' }),
        q: t.arg.string({
          description: `${wordsIn} number, the reason and, for those who may read customers, the customer's company name.`,
          validate: searchText,
        }),
        ...amountArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: async (_root, args, context, info) => {
        const where: Prisma.CreditNoteWhereInput = {
          ...updatedSince(args),
          ...byAmount('totalGross', args),
          ...(args.invoiceId && { invoiceId: args.invoiceId }),
          ...(args.customerId && { customerId: args.customerId }),
          ...((args.from || args.to) && { creditNoteDate: within(args) }),
          ...joinConditions(
            await containingOrPartner<Prisma.CreditNoteWhereInput>(
              args.q,
              context,
              (ids) => ({ customerId: { in: ids } }),
              (customer) => ({ customer }),
            ),
          ),
        };
        return readPage({ context, info }, 'CreditNote', args, where, order.columns);
      },
    },
    CreditNoteConnection,
  ),
}));
