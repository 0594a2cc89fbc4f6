import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';

/** A company profile that lacks nothing that an e-invoice demands. */
export const company = {
  legalName: 'Müller & Söhne GmbH',
  addressLine1: 'Hauptstraße 1',
  postalCode: '10115',
  city: 'Berlin',
  country: 'DE',
  vatId: 'DE123456789',
  contactName: 'Erika Müller',
  phone: '+49 30 123456',
  email: 'rechnung@mueller.example',
  iban: 'DE02120300000000202051',
};

/** A customer who lacks nothing either. */
export const buyer = {
  companyName: 'Stadt Ulm',
  addressLine1: 'Marktplatz 1',
  postalCode: '89073',
  city: 'Ulm',
  country: 'DE',
  email: 'einkauf@ulm.example',
  buyerReference: '08421-12345-67',
  electronicAddress: '08421-12345-67',
  electronicAddressScheme: '0204',
};

export const setCompany = (who: Integrator, input: object = company): Promise<unknown> =>
  who.graphql('mutation ($input: UpdateCompanyInput!) { updateCompany(input: $input) { version } }', { input });

/** An issued invoice of a tenant with a company profile, which can be an e-invoice in each format. */
export async function makeIssuedInvoice(who: Integrator, fields: Record<string, unknown> = {}): Promise<string> {
  const customerId = fields['customerId'] ?? (await makeCustomer(who, buyer));
  return makeInvoice(who, { status: 'ISSUED', ...fields, customerId });
}
