import { Invoice } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, nestedList, readList } from '../../graphql/lists.ts';
import { invoiceInputs } from './filter.ts';
import { listNodes } from '../../graphql/paging/page.ts';
import { Customer } from '../customer/type.ts';

const InvoiceConnection = builder.connectionObject({ type: Invoice, name: 'InvoiceConnection' });

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
      args: { ...listArguments(invoiceInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'Invoice', invoiceInputs, args),
    },
    InvoiceConnection,
  ),
}));

const invoicesOfCustomer = nestedList('Invoice', 'customerId', invoiceInputs);

builder.prismaObjectField(Customer, 'invoices', (t) =>
  t.connection(
    {
      type: Invoice,
      description: "The customer's invoices, newest first.",
      ability: 'invoices:read',
      args: { ...listArguments(invoiceInputs), offset: t.arg.int() },
      select: (args, context, nested) => ({
        id: true,
        invoices: nested(invoicesOfCustomer.query(args, context), listNodes('Invoice')),
      }),
      resolve: ({ id, invoices }, args, context) => invoicesOfCustomer.connect(id, invoices, args, context),
    },
    InvoiceConnection,
  ),
);
