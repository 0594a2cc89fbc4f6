import type { InvoiceStatus as InvoiceStatuses, Prisma } from '../../../prisma/generated/client/client.ts';
import { builder } from '../../graphql/builder.ts';
import { EInvoiceFormatType, formatNamed } from '../../documents/format-types.ts';
import { Node } from '../../graphql/node.ts';
import { today, type Context } from '../../graphql/context.ts';
import { containingOrPartner, Customer } from '../customer.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import { getUnitCode } from '../../codes/unit-codes.ts';
import { getVatCategory } from '../../money/vat-categories.ts';
import { computeAmountDue, computeAmountToRefund, balanceFields } from './balance.ts';
import { vatBreakdown, vatBreakdownByCategory } from '../../money/money.ts';
import type { VatCategoryShare as VatCategoryShareOf, VatShare as VatShareOf } from '../../money/money.ts';
import { byDay, byDecimal, byText, orderType } from '../../graphql/paging/order.ts';
import { buildConnection, listNodes, readPage, buildWindow } from '../../graphql/paging/page.ts';
import { periodRules, within } from '../../graphql/filters/period.ts';
import { joinConditions, searchText, wordsIn } from '../../graphql/filters/search.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { byExternalId, externalIdArgument } from '../../graphql/filters/external-id.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSince, updatedSinceArgument } from '../../graphql/filters/updated-since.ts';

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

export const VatShare = builder.objectRef<VatShareOf>('VatShare').implement({
  description: 'The part of an invoice or a credit note that one VAT rate applies to.',
  example: { vatRate: '19', net: '760', vat: '144.4' },
  fields: (t) => ({
    vatRate: t.expose('vatRate', { type: 'Decimal', description: 'Per cent.' }),
    net: t.expose('net', { type: 'Decimal', description: 'The net sum of the lines with this rate.' }),
    vat: t.expose('vat', { type: 'Decimal', description: 'VAT on that sum, rounded.' }),
  }),
});

export const VatCategoryShare = builder.objectRef<VatCategoryShareOf>('VatCategoryShare').implement({
  description: 'The part of an invoice or a credit note that one VAT category and rate apply to (EN 16931, BG-23).',
  example: { vatCategory: 'S', vatRate: '19', net: '760', vat: '144.4', exemptionReason: null },
  fields: (t) => ({
    vatCategory: t.exposeString('vatCategory', { description: 'S, Z, E, AE, K, G, or O.' }),
    vatRate: t.expose('vatRate', { type: 'Decimal', description: 'Per cent.' }),
    net: t.expose('net', { type: 'Decimal', description: 'The net sum of these lines.' }),
    vat: t.expose('vat', { type: 'Decimal', description: 'VAT on that sum, rounded.' }),
    exemptionReason: t.exposeString('exemptionReason', {
      nullable: true,
      description: 'Why no VAT is charged: the reasons of its lines, each once.',
    }),
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
    status: 'ISSUED',
    totalNet: '760',
    totalVat: '144.4',
    totalGross: '904.4',
    amountPaid: '0',
    amountCredited: '0',
    amountRefunded: '0',
    amountToRefund: '0',
    amountDue: '904.4',
    paidAt: null,
    cancelledAt: null,
    externalId: null,
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
      resolve: ({ items, currency }) => vatBreakdownByCategory(items, currency),
    }),
    amountPaid: t.expose('amountPaid', { type: 'Decimal' }),
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
      select: { status: true, ...balanceFields },
      resolve: computeAmountDue,
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
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const InvoiceConnection = builder.connectionObject({ type: Invoice, name: 'InvoiceConnection' });

const order = orderType('Invoice', {
  NUMBER: byText('number', 'The number. Drafts have none.', { nullable: true }),
  INVOICE_DATE: byDay('invoiceDate', 'The day of the invoice.'),
  DUE_DATE: byDay('dueDate', 'The day it is due.'),
  TOTAL_GROSS: byDecimal('totalGross', 'The gross total, whatever the currency.'),
});

/** As Invoice.isOverdue says. */
export const overdueOn = (day: Date): Prisma.InvoiceWhereInput => ({ status: 'ISSUED', dueDate: { lt: day } });

builder.queryFields((t) => ({
  invoice: t.prismaField({
    type: Invoice,
    description: 'One invoice.',
    ability: 'invoices:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Invoice', id, query),
  }),
  invoices: t.connection(
    {
      type: Invoice,
      description: 'The invoices, newest first.',
      ability: 'invoices:read',
      args: {
        status: t.arg({ type: InvoiceStatus, description: 'Only rows in this state.' }),
        customerId: t.arg({ type: 'UUID', description: 'Only invoices of this customer.' }),
        from: t.arg({ type: 'Date', description: 'Dated on this day or later.' }),
        to: t.arg({ type: 'Date', description: 'Dated on this day or earlier.' }),
        overdue: t.arg.boolean({ description: 'Only overdue invoices, or only those that are not overdue.' }),
        q: t.arg.string({
          description: `${wordsIn} number, the subject and, for those who may read customers, the customer's company name.`,
          validate: searchText,
        }),
        ...externalIdArgument,
        ...amountArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: async (_root, args, context, info) => {
        const where: Prisma.InvoiceWhereInput = {
          ...byExternalId(args),
          ...updatedSince(args),
          ...byAmount('totalGross', args),
          ...(args.status && { status: args.status }),
          ...(args.customerId && { customerId: args.customerId }),
          ...((args.from || args.to) && { invoiceDate: within(args) }),
          ...(args.overdue === false && { NOT: overdueOn(today(context)) }),
          ...joinConditions<Prisma.InvoiceWhereInput>([
            ...(args.overdue ? [overdueOn(today(context))] : []),
            ...(await containingOrPartner<Prisma.InvoiceWhereInput>(
              args.q,
              context,
              (ids) => ({ customerId: { in: ids } }),
              (customer) => ({ customer }),
            )),
          ]),
        };
        return readPage({ context, info }, 'Invoice', args, where, order.columns);
      },
    },
    InvoiceConnection,
  ),
}));

const invoicesOfCustomer = batchPerRequest(async (ids, context: Context) => {
  const counts = await context.db.invoice.groupBy({
    by: 'customerId',
    where: { customerId: { in: ids } },
    _count: true,
  });
  return new Map(counts.map((count) => [count.customerId, count._count]));
}, 0);

builder.prismaObjectField(Customer, 'invoices', (t) =>
  t.connection(
    {
      type: Invoice,
      description: "The customer's invoices, newest first.",
      ability: 'invoices:read',
      args: { offset: t.arg.int() },
      select: (args, _context, nested) => ({
        id: true,
        invoices: nested(buildWindow(args), listNodes('Invoice')),
      }),
      resolve: ({ id, invoices }, args, context) =>
        buildConnection(args, invoices, () => invoicesOfCustomer(id, context)),
    },
    InvoiceConnection,
  ),
);
