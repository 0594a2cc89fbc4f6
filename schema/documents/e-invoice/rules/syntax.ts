import { hasCode, type CodeListName } from '../../../codes/code-lists.ts';
import type { EInvoice, Party } from '../model.ts';
import { isGiven, rule, type Rule } from './rule.ts';

// Rules that differ between the syntaxes, and Factur-X's own, because their code lists differ.

const countryRules = (list: CodeListName): Rule[] => {
  const isKept = ({ address: { country } }: Party, { issueDate }: EInvoice): boolean =>
    !isGiven(country) || hasCode(list, country ?? '', issueDate);
  const message = "The syntax's code list does not have this country.";
  return [
    rule('BR-CL-14', 'company.country', (invoice) => isKept(invoice.seller, invoice), message),
    rule('BR-CL-14', 'customer.country', (invoice) => isKept(invoice.buyer, invoice), message),
  ];
};

export const ubl: Rule[] = countryRules('ubl-countries');

export const cii: Rule[] = [
  ...countryRules('cii-countries'),
  // No rule of the standard has an id for what the XML schema enumerates.
  rule(
    'CII-D16B',
    'currency',
    ({ currency, issueDate }) => hasCode('cii-schema-currencies', currency, issueDate),
    'The XML schema of CII does not have this currency. XRechnung in UBL, or Peppol, may have it.',
  ),
];

/** Schemes that EN 16931 has and Factur-X lacks. The others are checked already. */
const hasFacturXScheme = ({ electronicAddress }: Party, { issueDate }: EInvoice): boolean =>
  !electronicAddress ||
  !hasCode('en-address-schemes', electronicAddress.scheme, issueDate) ||
  hasCode('factur-x-address-schemes', electronicAddress.scheme, issueDate);

export const facturX: Rule[] = [
  rule(
    'BR-CL-25',
    'company.electronic_address_scheme',
    (invoice) => hasFacturXScheme(invoice.seller, invoice),
    "Factur-X's code list does not have the scheme of the seller's electronic address.",
  ),
  rule(
    'BR-CL-25',
    'customer.electronic_address_scheme',
    (invoice) => hasFacturXScheme(invoice.buyer, invoice),
    "Factur-X's code list does not have the scheme of the buyer's electronic address.",
  ),
];
