import { aggregateField } from '../../graphql/aggregates.ts';
import { builder } from '../../graphql/builder.ts';
import { findByIdIfAny } from '../../graphql/find-by-id.ts';
import { Customer } from '../customer/type.ts';
import { receiptInputs } from './filter.ts';
import { ReceiptStatus } from './type.ts';

const Group = aggregateField('receiptsAggregate', 'Receipt', receiptInputs, {
  description: 'The receipts in groups, with their number and sums. Drafts count unless the filter excludes them.',
  keys: {
    status: { column: 'status', type: ReceiptStatus, description: 'The state.' },
    supplierId: { column: 'supplierId', description: "The supplier's id; null also where it is unknown." },
    category: { column: 'category', description: 'The category; null also where there is none.' },
    currency: { column: 'currency', description: 'ISO 4217.' },
    month: { column: 'receiptDate', isMonth: true, description: 'The month of the receipt date, `YYYY-MM`.' },
  },
  sums: ['amountNet', 'vatAmount', 'amountGross', 'amountPaid'],
  hasCurrency: true,
});

builder.objectField(Group, 'supplier', (t) =>
  t.prismaField({
    type: Customer,
    nullable: true,
    description: 'The supplier. Null unless they are grouped by its id.',
    ability: 'customers:read',
    resolve: (query, { values }, _args, context) =>
      typeof values['supplierId'] === 'string' ? findByIdIfAny(context, 'Customer', values['supplierId'], query) : null,
  }),
);
