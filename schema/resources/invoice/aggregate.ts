import { aggregateField } from '../../graphql/aggregates.ts';
import { builder } from '../../graphql/builder.ts';
import { findByIdIfAny } from '../../graphql/find-by-id.ts';
import { Customer } from '../customer/type.ts';
import { invoiceInputs } from './filter.ts';
import { InvoiceStatus } from './type.ts';

const Group = aggregateField('invoicesAggregate', 'Invoice', invoiceInputs, {
  description: 'The invoices in groups, with their number and sums. Drafts count unless the filter excludes them.',
  keys: {
    status: { column: 'status', type: InvoiceStatus, description: 'The state.' },
    customerId: { column: 'customerId', description: "The customer's id." },
    currency: { column: 'currency', description: 'ISO 4217.' },
    month: { column: 'invoiceDate', isMonth: true, description: 'The month of the invoice date, `YYYY-MM`.' },
  },
  sums: [
    'totalNet',
    'totalVat',
    'totalGross',
    'amountPaid',
    'amountCredited',
    'amountRefunded',
    'amountDue',
    'amountToRefund',
  ],
  hasCurrency: true,
});

builder.objectField(Group, 'customer', (t) =>
  t.prismaField({
    type: Customer,
    nullable: true,
    description: 'The customer. Null unless they are grouped by its id.',
    ability: 'customers:read',
    resolve: (query, { values }, _args, context) =>
      typeof values['customerId'] === 'string' ? findByIdIfAny(context, 'Customer', values['customerId'], query) : null,
  }),
);
