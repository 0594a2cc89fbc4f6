import { hasCode, type CodeListName } from '../../codes/code-lists.ts';
import type { EInvoice, Party } from '../model.ts';
import { isGiven, rule, type Rule } from './rule.ts';

// Rules that differ between the syntaxes, because their code lists differ.

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
