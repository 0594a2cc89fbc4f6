import { aggregateField } from '../../graphql/aggregates.ts';
import { receiptInputs } from './filter.ts';
import { ReceiptStatus } from './type.ts';

aggregateField('receiptsAggregate', 'Receipt', receiptInputs, {
  description: 'The receipts in groups, with their number and sums. Drafts count unless the filter excludes them.',
  keys: {
    status: { column: 'status', type: ReceiptStatus, description: 'The state.' },
    supplierId: { column: 'supplierId', description: "The supplier's id; null also where it is unknown." },
    category: { column: 'category', description: 'The category; null also where there is none.' },
    currency: { column: 'currency', description: 'ISO 4217.' },
    month: { column: 'receiptDate', isMonth: true, description: 'The month of the receipt date, `YYYY-MM`.' },
  },
  relations: ['supplier'],
  sums: ['amountNet', 'vatAmount', 'amountGross', 'amountPayable', 'amountPaid', 'amountAdjusted'],
  hasCurrency: true,
});
