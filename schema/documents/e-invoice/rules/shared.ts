import type { EInvoice, Line, Party } from '../model.ts';
import { isGiven, lineRule, rule, type Rule } from './rule.ts';

// Rules that XRechnung and Peppol BIS Billing share.

const hasAddress = ({ electronicAddress }: Party): boolean => isGiven(electronicAddress?.value);

/** Amounts of lines are checked with a tolerance, because they are rounded. */
export const tolerance = '0.02';

const isDiscountComputed = ({ discount }: Line): boolean =>
  !discount ||
  discount.base.times(discount.percent).dividedBy(100).minus(discount.amount).abs().lessThanOrEqualTo(tolerance);

/** Rules of Peppol that XRechnung includes. @param sellersField what to fill in if the seller has no electronic address */
export const electronicAddressRules = (sellersField: string, sellersMessage: string): Rule[] => [
  rule('PEPPOL-EN16931-R020', sellersField, ({ seller }) => hasAddress(seller), sellersMessage),
  rule(
    'PEPPOL-EN16931-R010',
    'customer.electronic_address',
    ({ buyer }) => hasAddress(buyer),
    'The buyer needs an electronic address.',
  ),
];

/** Rules of Peppol about lines that XRechnung includes. */
export const lineRules: Rule[] = [
  lineRule(
    'PEPPOL-EN16931-R040',
    'discount_percent',
    isDiscountComputed,
    'A discount must be its per cent of quantity times price. In a currency without decimals it may be rounded too much.',
  ),
  lineRule(
    'PEPPOL-EN16931-R110',
    'service_period_start',
    ({ period }, { delivery }) => !period || !delivery.period || period.start >= delivery.period.start,
    "A line's service period must be within the invoice's.",
  ),
  lineRule(
    'PEPPOL-EN16931-R111',
    'service_period_end',
    ({ period }, { delivery }) => !period || !delivery.period || period.end <= delivery.period.end,
    "A line's service period must be within the invoice's.",
  ),
];

/** XRechnung reads a line that begins with # as a cash discount, in a form of its own. Kontor has no cash discounts. */
const hasNoCashDiscount = ({ paymentTerms }: EInvoice): boolean => !/^\s*#/m.test(paymentTerms ?? '');

/**
 * The rules of German law. XRechnung has them under ids such as BR-DE-9; Peppol has the same for invoices from Germany to
 * Germany, under ids such as DE-R-009.
 */
export const germanRules = (idOf: (number: number) => string): Rule[] => [
  rule(idOf(1), 'company.iban', ({ payment }) => payment !== undefined, 'The seller needs an account to pay to.'),
  rule(
    idOf(2),
    'company.contact_name',
    ({ seller: { contact } }) => [contact.name, contact.phone, contact.email].some(isGiven),
    'The seller needs a contact.',
  ),
  rule(idOf(3), 'company.city', ({ seller }) => isGiven(seller.address.city), 'The seller needs a city.'),
  rule(
    idOf(4),
    'company.postal_code',
    ({ seller }) => isGiven(seller.address.postalCode),
    'The seller needs a postal code.',
  ),
  rule(
    idOf(5),
    'company.contact_name',
    ({ seller }) => isGiven(seller.contact.name),
    'The seller needs a contact person or department.',
  ),
  rule(idOf(6), 'company.phone', ({ seller }) => isGiven(seller.contact.phone), 'The seller needs a phone number.'),
  rule(idOf(7), 'company.email', ({ seller }) => isGiven(seller.contact.email), 'The seller needs an e-mail address.'),
  rule(idOf(8), 'customer.city', ({ buyer }) => isGiven(buyer.address.city), 'The buyer needs a city.'),
  rule(
    idOf(9),
    'customer.postal_code',
    ({ buyer }) => isGiven(buyer.address.postalCode),
    'The buyer needs a postal code.',
  ),
  rule(
    idOf(10),
    'customer.city',
    ({ delivery }) => !isGiven(delivery.country) || isGiven(delivery.city),
    'The address of the delivery needs a city.',
  ),
  rule(
    idOf(11),
    'customer.postal_code',
    ({ delivery }) => !isGiven(delivery.country) || isGiven(delivery.postalCode),
    'The address of the delivery needs a postal code.',
  ),
  rule(
    idOf(15),
    'customer.buyer_reference',
    ({ buyerReference }) => isGiven(buyerReference),
    "The buyer needs a buyer reference: an authority's Leitweg-ID, or any other reference.",
  ),
  rule(
    idOf(16),
    'company.vat_id',
    (invoice) =>
      invoice.lines.every(({ vatCategory }) => vatCategory === 'O') ||
      isGiven(invoice.seller.vatId) ||
      isGiven(invoice.seller.taxNumber),
    'The seller needs a VAT number or a tax number.',
  ),
  rule(idOf(18), 'company.payment_terms_days', hasNoCashDiscount, 'No line of the payment terms may begin with #.'),
];
