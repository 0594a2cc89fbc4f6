import { Invoice, InvoiceStatus } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byText, byDay, byDecimal } from '../../graphql/paging/order.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { wordsIn, searchText } from '../../graphql/filters/search.ts';
import { externalIdArgument, byExternalId } from '../../graphql/filters/external-id.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import { periodRules, byPeriod } from '../../graphql/filters/period.ts';
import { today, type Context } from '../../graphql/context.ts';
import { containsWordsOrPartner } from '../customer/search.ts';
import { buildFilter, type Filters } from '../../graphql/filters/filters.ts';
import { readPage, buildWindow, listNodes, buildConnection } from '../../graphql/paging/page.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import { Customer } from '../customer/type.ts';

const InvoiceConnection = builder.connectionObject({ type: Invoice, name: 'InvoiceConnection' });

const order = orderType('Invoice', {
  NUMBER: byText('number', 'The number. Drafts have none.', { nullable: true }),
  INVOICE_DATE: byDay('invoiceDate', 'The day of the invoice.'),
  DUE_DATE: byDay('dueDate', 'The day it is due.'),
  TOTAL_GROSS: byDecimal('totalGross', 'The gross total, whatever the currency.'),
});

const filters = {
  externalId: byExternalId,
  updatedSince,
  amount: byAmount('totalGross'),
  status: (status: typeof InvoiceStatus.$inferType) => ({ status }),
  customerId: (customerId: string) => ({ customerId }),
  ...byPeriod('invoiceDate'),
  overdue: (isOverdue: boolean, context: Context) => {
    const overdue = overdueOn(today(context));
    return isOverdue ? overdue : { NOT: overdue };
  },
  q: (q: string, context: Context) =>
    containsWordsOrPartner<Prisma.InvoiceWhereInput>(
      q,
      context,
      (ids) => ({ customerId: { in: ids } }),
      (customer) => ({ customer }),
    ),
} satisfies Filters<Prisma.InvoiceWhereInput>;

/** As Invoice.isOverdue says. */
export const overdueOn = (day: Date): Prisma.InvoiceWhereInput => ({ status: 'ISSUED', dueDate: { lt: day } });

builder.queryFields((t) => ({
  invoice: t.prismaField({
    type: Invoice,
    nullable: true,
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
      resolve: async (_root, args, context, info) =>
        readPage({ context, info }, 'Invoice', args, await buildFilter(filters, args, context), order.columns),
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
