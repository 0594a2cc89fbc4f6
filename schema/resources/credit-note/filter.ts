import { listInputs } from '../../graphql/lists.ts';
import { customerInputs } from '../customer/filter.ts';
import { searchPartners } from '../customer/search.ts';
import { invoiceInputs } from '../invoice/filter.ts';

export const creditNoteInputs = listInputs('CreditNote', {
  ability: 'invoices:read',
  relations: { customer: customerInputs, invoice: invoiceInputs },
  search: {
    fields: "number, the reason and, for those who may read customers, the customer's company name",
    related: searchPartners('customer'),
  },
});
