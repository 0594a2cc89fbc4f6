import type { EInvoice, Line, Party } from '../model.ts';
import { escapeText } from '../xml.ts';
import { hasCode } from '../../../codes/code-lists.ts';
import {
  isAbn,
  isBelgianNumber,
  isDanishNumber,
  isDanishTaxNumber,
  isDanishUnitNumber,
  isGln,
  isNorwegianNumber,
  isSwedishNumber,
} from './check-digits.ts';
import { nationalRules } from './peppol-national.ts';
import { isGiven, lineRule, rule, type Rule } from './rule.ts';
import { electronicAddressRules, germanRules, lineRules, tolerance } from './shared.ts';

/** Schemes whose numbers have a form that Peppol checks. */
const forms: { id: string; scheme: string; isValid: (address: string) => boolean; name: string }[] = [
  { id: 'PEPPOL-COMMON-R040', scheme: '0088', isValid: isGln, name: 'a GLN' },
  { id: 'PEPPOL-COMMON-R041', scheme: '0192', isValid: isNorwegianNumber, name: 'a Norwegian organization number' },
  { id: 'PEPPOL-COMMON-R042', scheme: '0184', isValid: isDanishNumber, name: 'a Danish CVR number' },
  { id: 'PEPPOL-COMMON-R043', scheme: '0208', isValid: isBelgianNumber, name: 'a Belgian enterprise number' },
  { id: 'PEPPOL-COMMON-R049', scheme: '0007', isValid: isSwedishNumber, name: 'a Swedish organization number' },
  { id: 'PEPPOL-COMMON-R050', scheme: '0151', isValid: isAbn, name: 'an Australian Business Number' },
  { id: 'PEPPOL-COMMON-R052', scheme: '0096', isValid: isDanishUnitNumber, name: 'a Danish P number' },
  { id: 'PEPPOL-COMMON-R053', scheme: '0198', isValid: isDanishTaxNumber, name: 'a Danish SE number' },
];

const hasForm =
  (scheme: string, isValid: (address: string) => boolean) =>
  ({ electronicAddress }: Party): boolean =>
    electronicAddress?.scheme !== scheme || isValid(escapeText(electronicAddress.value));

/** Peppol's list isn't that of EN 16931: it lacks schemes of letters, such as EM for e-mail, and others. */
const hasPeppolScheme = ({ electronicAddress }: Party, day: string): boolean =>
  !electronicAddress || hasCode('peppol-address-schemes', electronicAddress.scheme, day);

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
  ...electronicAddressRules(
    'company.electronic_address',
    'The seller needs an electronic address. A registration number or a VAT number is one as well.',
  ),
  rule(
    'PEPPOL-EN16931-CL008',
    'company.electronic_address_scheme',
    ({ seller, issueDate }) => hasPeppolScheme(seller, issueDate),
    "Peppol takes no e-mail addresses, and not every other scheme. The seller needs an electronic address with a scheme of Peppol's list, or a VAT number.",
  ),
  rule(
    'PEPPOL-EN16931-CL008',
    'customer.electronic_address_scheme',
    ({ buyer, issueDate }) => hasPeppolScheme(buyer, issueDate),
    "Peppol takes no e-mail addresses, and not every other scheme. The buyer needs an electronic address with a scheme of Peppol's list, or a VAT number.",
  ),
  rule(
    'PEPPOL-EN16931-CL007',
    'currency',
    ({ currency, issueDate }) => hasCode('peppol-currencies', currency, issueDate),
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
    rule(
      id,
      'company.registration_number',
      ({ seller: { registrationNumber } }) =>
        registrationNumber?.scheme !== scheme || isValid(escapeText(registrationNumber.value)),
      `A registration number with scheme ${scheme} must be ${name}.`,
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
