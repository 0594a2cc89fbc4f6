import { Invoice } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, nestedList, readList } from '../../graphql/lists.ts';
import { invoiceInputs } from './filter.ts';
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

builder.prismaObjectField(Customer, 'invoices', (t) =>
  t.connection(
    {
      type: Invoice,
      description: "The customer's invoices, newest first.",
      ability: 'invoices:read',
      ...nestedList('Invoice', 'customerId', 'invoices', invoiceInputs),
    },
    InvoiceConnection,
  ),
);
