import { getKeys } from '../../list/list-state.ts';
import { graphql, type FragmentOf } from '../../graphql.ts';

export const CustomerFields = graphql(`
  fragment CustomerFields on Customer {
    id
    version
    type
    companyName
    email
    addressLine1
    postalCode
    city
    country
    vatId
    isVatIdWellFormed
    contactName
    phone
    buyerReference
    electronicAddress
    electronicAddressScheme
    language
    paymentTermsDays
    requiredEInvoice
    externalId
    metadata
  }
`);

export type Customer = FragmentOf<typeof CustomerFields>;

export const customerTypes = getKeys<Customer['type']>({ CUSTOMER: true, SUPPLIER: true });
