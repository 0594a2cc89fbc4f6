import { listInputs } from '../../graphql/lists.ts';
import { RequiredEInvoice } from '../../documents/format-types.ts';
import { CustomerType } from './type.ts';

export const customerInputs = listInputs('Customer', {
  ability: 'customers:read',
  enums: { type: CustomerType, requiredEInvoice: RequiredEInvoice },
  search: { fields: 'company name, e-mail address, city and VAT number' },
});
