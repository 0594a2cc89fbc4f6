import { Problems } from '../../errors/errors.ts';
import { schemeRules } from '../../graphql/input/schemes.ts';
import { externalIdField, noMetadata } from '../common-fields.ts';
import type { Kind } from '../kind.ts';
import { toNewRow } from '../read-row.ts';

export const customers: Kind = {
  model: 'Customer',
  mutation: 'importCustomers',
  reads: [],
  fields: {
    externalId: externalIdField,
    type: { description: '`customer` or `supplier`.' },
    companyName: { description: 'The name of the company or person.' },
    email: { description: 'The e-mail address.' },
    addressLine1: { description: 'Street and number.' },
    postalCode: { description: 'The postal code.' },
    city: { description: 'The city.' },
    country: {
      type: 'COUNTRY',
      description: 'ISO 3166-1 alpha-2, or the name in English, German, French, or Dutch.',
    },
    vatId: { description: 'The VAT identification number.' },
    contactName: { description: 'The person to ask for.' },
    phone: { description: 'The telephone number.' },
    buyerReference: { description: 'What the partner wants to find on invoices.' },
    electronicAddress: { description: 'Where e-invoices are sent. With its scheme.' },
    electronicAddressScheme: { description: 'The scheme of the electronic address: `0204`, `9930`, `EM`, …' },
    language: { description: 'The language of documents: `de` or `en`.' },
    paymentTermsDays: { description: 'How many days after its date an invoice is due.' },
  },
  excluded: {
    metadata: noMetadata,
    requiredEInvoice: 'Other systems export no such column.',
  },
  prepare: async () => {
    return ({ db }, _record, { row, values }, errors) => {
      const customer = db.row('Customer', toNewRow<'Customer'>(values));
      const problems = new Problems();
      schemeRules('electronicAddress', customer, problems, '');
      errors.addAll(row, problems.byField);
      return { Customer: [customer] };
    };
  },
};
