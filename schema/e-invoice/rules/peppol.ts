import type { EInvoice, Line, Party } from '../model.ts';
import { textOf } from '../xml.ts';
import { isAbn, isBelgianNumber, isDanishNumber, isGln, isNorwegianNumber, isSwedishNumber } from './check-digits.ts';
import { nationalRules } from './peppol-national.ts';
import { isGiven, lineRule, rule, type Rule } from './rule.ts';
import { electronicAddressRules, germanRules, lineRules, tolerance } from './shared.ts';

/** Schemes whose addresses have a form that Peppol checks. */
const forms: { id: string; scheme: string; isValid: (address: string) => boolean; name: string }[] = [
  { id: 'PEPPOL-COMMON-R040', scheme: '0088', isValid: isGln, name: 'a GLN' },
  { id: 'PEPPOL-COMMON-R041', scheme: '0192', isValid: isNorwegianNumber, name: 'a Norwegian organization number' },
  { id: 'PEPPOL-COMMON-R042', scheme: '0184', isValid: isDanishNumber, name: 'a Danish CVR number' },
  { id: 'PEPPOL-COMMON-R043', scheme: '0208', isValid: isBelgianNumber, name: 'a Belgian enterprise number' },
  { id: 'PEPPOL-COMMON-R049', scheme: '0007', isValid: isSwedishNumber, name: 'a Swedish organization number' },
  { id: 'PEPPOL-COMMON-R050', scheme: '0151', isValid: isAbn, name: 'an Australian Business Number' },
];

const hasForm =
  (scheme: string, isValid: (address: string) => boolean) =>
  ({ electronicAddress }: Party): boolean =>
    electronicAddress?.scheme !== scheme || isValid(textOf(electronicAddress.value));

/** Schemes of letters, such as EM for e-mail, aren't Peppol's. */
const hasPeppolScheme = ({ electronicAddress }: Party): boolean => !/^[A-Z]/.test(electronicAddress?.scheme ?? '');

/** Currencies of EN 16931's code list that Peppol's lacks. */
const otherCurrencies = new Set(['XCG']);

const isComputed = ({ quantity, unitPrice, discount, net }: Line): boolean =>
  quantity
    .times(unitPrice)
    .minus(discount?.amount ?? 0)
    .minus(net)
    .abs()
    .lessThanOrEqualTo(tolerance);

const isWithinGermany = ({ seller, buyer }: EInvoice): boolean =>
  seller.address.country === 'DE' && buyer.address.country === 'DE';

/** Rules of Peppol BIS Billing 3.0, on top of EN 16931. */
export const peppol: Rule[] = [
  rule(
    'PEPPOL-EN16931-R003',
    'customer.buyer_reference',
    ({ buyerReference }) => isGiven(buyerReference),
    'The buyer needs a buyer reference.',
  ),
  ...electronicAddressRules('company.vat_id', 'The seller needs a VAT number, which is its address in Peppol.'),
  rule(
    'PEPPOL-EN16931-CL008',
    'company.vat_id',
    ({ seller }) => hasPeppolScheme(seller),
    'Peppol takes no e-mail addresses. The seller needs a VAT number, which is its address in Peppol.',
  ),
  rule(
    'PEPPOL-EN16931-CL008',
    'customer.electronic_address_scheme',
    ({ buyer }) => hasPeppolScheme(buyer),
    'Peppol takes no e-mail addresses. The buyer needs another electronic address, or a VAT number.',
  ),
  rule(
    'PEPPOL-EN16931-CL007',
    'currency',
    ({ currency }) => !otherCurrencies.has(currency),
    "Peppol's code list does not have this currency.",
  ),
  ...forms.flatMap(({ id, scheme, isValid, name }) => [
    rule(
      id,
      'company.electronic_address',
      ({ seller }) => hasForm(scheme, isValid)(seller),
      `An electronic address with scheme ${scheme} must be ${name}.`,
    ),
    rule(
      id,
      'customer.electronic_address',
      ({ buyer }) => hasForm(scheme, isValid)(buyer),
      `An electronic address with scheme ${scheme} must be ${name}.`,
    ),
  ]),
  ...lineRules,
  lineRule(
    'PEPPOL-EN16931-R120',
    'unit_price_net',
    isComputed,
    "A line's net amount must be quantity times price minus the discount. In a currency without decimals it may be rounded too much.",
  ),
  ...germanRules((number) => `DE-R-${String(number).padStart(3, '0')}`).map((german) => ({
    ...german,
    breachedBy: (invoice: EInvoice) => (isWithinGermany(invoice) ? german.breachedBy(invoice) : []),
  })),
  ...nationalRules,
];
