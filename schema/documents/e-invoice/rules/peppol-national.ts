import { legalRegistration } from '../derived-terms.ts';
import type { EInvoice, Party, Seller } from '../model.ts';
import { escapeText } from '../xml.ts';
import { isNorwegianNumber, isSwedishNumber } from './check-digits.ts';
import { isGiven, lineRule, rule, type Rule } from './rule.ts';

// Peppol's rules for sellers of some countries; those of Germany are in shared.ts. Some demand what Kontor's invoices
// don't say: from Greece, and within Iceland, nothing can be sent over Peppol yet.

const getCountry = ({ address }: Party): string => escapeText(address.country);

/** Some rules take the country of the VAT number if there is one. */
const getTaxCountry = (party: Party): string => escapeText(party.vatId).slice(0, 2).toUpperCase() || getCountry(party);

const from =
  (country: string, isKept: (invoice: EInvoice) => boolean) =>
  (invoice: EInvoice): boolean =>
    getCountry(invoice.seller) !== country || isKept(invoice);

const taxedIn =
  (country: string, isKept: (invoice: EInvoice) => boolean) =>
  (invoice: EInvoice): boolean =>
    getTaxCountry(invoice.seller) !== country || isKept(invoice);

const isSwedish = ({ seller }: EInvoice): boolean =>
  getCountry(seller) === 'SE' && escapeText(seller.vatId).startsWith('SE');

const hasFullAddress = ({ address: { line1, city, postalCode } }: Party): boolean =>
  [line1, city, postalCode].every(isGiven);

/** The number under which a seller is registered, as it is written: with a scheme, or as a register entry without one. */
const registered = (seller: Seller) => {
  const { value, scheme } = legalRegistration(seller) ?? {};
  return { isGiven: isGiven(value), number: escapeText(value), scheme };
};

const unsupported = 'Kontor cannot make Peppol invoices of sellers in this country yet.';

const swedishRates = new Set(['6', '12', '25']);

export const nationalRules: Rule[] = [
  rule(
    'DK-R-002',
    'company.registration_number',
    from('DK', ({ seller }) => registered(seller).isGiven),
    'A seller in Denmark needs its CVR number as registration number, with scheme 0184.',
  ),
  rule(
    'DK-R-014',
    'company.registration_number_scheme',
    from('DK', ({ seller }) => !registered(seller).isGiven || registered(seller).scheme === '0184'),
    'A seller in Denmark needs its CVR number as registration number, with scheme 0184.',
  ),
  rule('GR-R-001-1', 'company.country', ({ seller }) => !['GR', 'EL'].includes(getTaxCountry(seller)), unsupported),
  rule(
    'IS-R-002',
    'company.registration_number',
    from('IS', ({ seller }) => registered(seller).isGiven && registered(seller).scheme === '0196'),
    'A seller in Iceland needs its kennitala as registration number, with scheme 0196.',
  ),
  rule(
    'IS-R-003',
    'company.address_line1',
    from('IS', ({ seller: { address } }) => isGiven(address.line1) && isGiven(address.postalCode)),
    'A seller in Iceland needs street and postal code.',
  ),
  rule(
    'IS-R-004',
    'customer.country',
    from('IS', ({ buyer }) => getCountry(buyer) !== 'IS'),
    "Kontor cannot write an Icelandic buyer's kennitala yet.",
  ),

  rule(
    'IT-R-001',
    'company.tax_number',
    taxedIn('IT', ({ seller }) => !isGiven(seller.taxNumber) || /^[A-Z0-9]{11,16}$/.test(escapeText(seller.taxNumber))),
    'An Italian tax number has 11 to 16 capital letters and digits.',
  ),
  rule(
    'IT-R-002',
    'company.address_line1',
    taxedIn('IT', ({ seller }) => isGiven(seller.address.line1)),
    'A seller in Italy needs a street.',
  ),
  rule(
    'IT-R-003',
    'company.city',
    taxedIn('IT', ({ seller }) => isGiven(seller.address.city)),
    'A seller in Italy needs a city.',
  ),
  rule(
    'IT-R-004',
    'company.postal_code',
    taxedIn('IT', ({ seller }) => isGiven(seller.address.postalCode)),
    'A seller in Italy needs a postal code.',
  ),

  rule(
    'NL-R-001',
    'invoice_id',
    from('NL', ({ typeCode, precedingInvoice }) => typeCode !== '381' || precedingInvoice !== undefined),
    'A credit note from the Netherlands must refer to an invoice.',
  ),
  rule(
    'NL-R-002',
    'company.address_line1',
    from('NL', ({ seller }) => hasFullAddress(seller)),
    'A seller in the Netherlands needs street, city, and postal code.',
  ),
  rule(
    'NL-R-003',
    'company.registration_number',
    from(
      'NL',
      ({ seller }) => !registered(seller).isGiven || ['0106', '0190'].includes(registered(seller).scheme ?? ''),
    ),
    'A seller in the Netherlands needs its KVK or OIN number as registration number, with scheme 0106 or 0190.',
  ),
  rule(
    'NL-R-004',
    'customer.address_line1',
    from('NL', ({ buyer }) => getCountry(buyer) !== 'NL' || hasFullAddress(buyer)),
    'A buyer in the Netherlands needs street, city, and postal code.',
  ),
  rule(
    'NL-R-007',
    'company.iban',
    from('NL', ({ typeCode, totals, payment }) => typeCode === '381' || !totals.due.greaterThan(0) || !!payment),
    'A seller in the Netherlands needs an account to pay to.',
  ),

  rule(
    'NO-R-001',
    'company.vat_id',
    ({ seller }) => {
      const vatId = escapeText(seller.vatId);
      const [, number = ''] = /^NO(\d{9})MVA$/.exec(vatId) ?? [];
      return !vatId.startsWith('NO') || isNorwegianNumber(number);
    },
    'A Norwegian VAT number is NO, an organization number, and MVA.',
  ),

  rule(
    'SE-R-001',
    'company.vat_id',
    (invoice) => !isSwedish(invoice) || /^SE.{12}$/.test(escapeText(invoice.seller.vatId)),
    'A Swedish VAT number is SE and 12 digits.',
  ),
  rule(
    'SE-R-002',
    'company.vat_id',
    (invoice) => !isSwedish(invoice) || /^SE\d+$/.test(escapeText(invoice.seller.vatId)),
    'A Swedish VAT number is SE and 12 digits.',
  ),
  rule(
    'SE-R-013',
    'company.registration_number',
    from('SE', ({ seller }) => !registered(seller).isGiven || isSwedishNumber(registered(seller).number)),
    'A seller in Sweden needs its organization number of 10 digits as registration number, with scheme 0007.',
  ),
  rule(
    'SE-R-005',
    'company.tax_number',
    from(
      'SE',
      ({ seller }) =>
        !registered(seller).isGiven ||
        !isGiven(seller.taxNumber) ||
        escapeText(seller.taxNumber).toUpperCase() === 'GODKÄND FÖR F-SKATT',
    ),
    "The tax number of a seller in Sweden must be 'Godkänd för F-skatt'.",
  ),
  lineRule(
    'SE-R-006',
    'vat_rate',
    ({ vatCategory, vatRate }, invoice) =>
      !isSwedish(invoice) || vatCategory !== 'S' || swedishRates.has(vatRate.toFixed()),
    'Sweden has the VAT rates 25, 12, and 6.',
  ),
];
