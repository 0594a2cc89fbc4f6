import type { EInvoice, Party } from '../model.ts';
import { textOf } from '../xml.ts';
import { isNorwegianNumber, isSwedishNumber } from './check-digits.ts';
import { isGiven, lineRule, rule, type Rule } from './rule.ts';

// Peppol's rules for sellers of some countries; those of Germany are in shared.ts. Some demand what Kontor's invoices
// don't say, such as a Danish CVR number with its scheme: from these countries nothing can be sent over Peppol yet.

const countryOf = ({ address }: Party): string => textOf(address.country);

/** Some rules take the country of the VAT number if there is one. */
const taxCountryOf = (party: Party): string => textOf(party.vatId).slice(0, 2).toUpperCase() || countryOf(party);

const from =
  (country: string, isKept: (invoice: EInvoice) => boolean) =>
  (invoice: EInvoice): boolean =>
    countryOf(invoice.seller) !== country || isKept(invoice);

const taxedIn =
  (country: string, isKept: (invoice: EInvoice) => boolean) =>
  (invoice: EInvoice): boolean =>
    taxCountryOf(invoice.seller) !== country || isKept(invoice);

const isSwedish = ({ seller }: EInvoice): boolean =>
  countryOf(seller) === 'SE' && textOf(seller.vatId).startsWith('SE');

const hasFullAddress = ({ address: { line1, city, postalCode } }: Party): boolean =>
  [line1, city, postalCode].every(isGiven);

const unsupported = 'Kontor cannot make Peppol invoices of sellers in this country yet.';

const swedishRates = new Set(['6', '12', '25']);

export const nationalRules: Rule[] = [
  rule(
    'DK-R-002',
    'company.country',
    from('DK', ({ seller }) => isGiven(seller.registerEntry)),
    unsupported,
  ),
  rule(
    'DK-R-014',
    'company.country',
    from('DK', ({ seller }) => !isGiven(seller.registerEntry)),
    unsupported,
  ),
  rule('GR-R-001-1', 'company.country', ({ seller }) => !['GR', 'EL'].includes(taxCountryOf(seller)), unsupported),
  rule(
    'IS-R-002',
    'company.country',
    from('IS', () => false),
    unsupported,
  ),

  rule(
    'IT-R-001',
    'company.tax_number',
    taxedIn('IT', ({ seller }) => !isGiven(seller.taxNumber) || /^[A-Z0-9]{11,16}$/.test(textOf(seller.taxNumber))),
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
    'company.register_entry',
    from('NL', ({ seller }) => !isGiven(seller.registerEntry)),
    'Kontor cannot write a Dutch KVK or OIN number yet. Leave the register entry empty.',
  ),
  rule(
    'NL-R-004',
    'customer.address_line1',
    from('NL', ({ buyer }) => countryOf(buyer) !== 'NL' || hasFullAddress(buyer)),
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
      const vatId = textOf(seller.vatId);
      const [, number = ''] = /^NO(\d{9})MVA$/.exec(vatId) ?? [];
      return !vatId.startsWith('NO') || isNorwegianNumber(number);
    },
    'A Norwegian VAT number is NO, an organization number, and MVA.',
  ),

  rule(
    'SE-R-001',
    'company.vat_id',
    (invoice) => !isSwedish(invoice) || /^SE.{12}$/.test(textOf(invoice.seller.vatId)),
    'A Swedish VAT number is SE and 12 digits.',
  ),
  rule(
    'SE-R-002',
    'company.vat_id',
    (invoice) => !isSwedish(invoice) || /^SE\d+$/.test(textOf(invoice.seller.vatId)),
    'A Swedish VAT number is SE and 12 digits.',
  ),
  rule(
    'SE-R-013',
    'company.register_entry',
    from('SE', ({ seller }) => !isGiven(seller.registerEntry) || isSwedishNumber(textOf(seller.registerEntry))),
    'The register entry of a seller in Sweden must be an organization number of 10 digits.',
  ),
  rule(
    'SE-R-005',
    'company.tax_number',
    from(
      'SE',
      ({ seller: { registerEntry, taxNumber } }) =>
        !isGiven(registerEntry) || !isGiven(taxNumber) || textOf(taxNumber).toUpperCase() === 'GODKÄND FÖR F-SKATT',
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
