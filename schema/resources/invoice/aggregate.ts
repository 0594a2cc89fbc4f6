import { aggregateField } from '../../graphql/aggregates.ts';
import { invoiceInputs } from './filter.ts';
import { InvoiceStatus } from './type.ts';

aggregateField('invoicesAggregate', 'Invoice', invoiceInputs, {
  description: 'The invoices in groups, with their number and sums. Drafts count unless the filter excludes them.',
  keys: {
    status: { column: 'status', type: InvoiceStatus, description: 'The state.' },
    customerId: { column: 'customerId', description: "The customer's id." },
    currency: { column: 'currency', description: 'ISO 4217.' },
    month: { column: 'invoiceDate', isMonth: true, description: 'The month of the invoice date, `YYYY-MM`.' },
  },
  relations: ['customer'],
  sums: [
    'totalNet',
    'totalVat',
    'totalGross',
    'amountPaid',
    'amountAdjusted',
    'amountCredited',
    'amountRefunded',
    'amountDue',
    'amountToRefund',
  ],
  hasCurrency: true,
});
