import { iso31661 } from 'iso-3166/1.js';
import { hasCode } from '../../../codes/code-lists.ts';
import { minorDigits } from '../../../money/money.ts';
import type { EInvoice, Party, Period } from '../model.ts';
import { isGiven, lineRule, rule, type Rule } from './rule.ts';

/** Prefixes of VAT numbers: countries, EL for Greece, XI for Northern Ireland. */
const vatNumberPrefixes = new Set([...iso31661.map(({ alpha2 }) => alpha2), 'EL', 'XI']);

const hasPrefix = ({ vatId }: Party): boolean => !isGiven(vatId) || vatNumberPrefixes.has((vatId ?? '').slice(0, 2));

const hasScheme = ({ electronicAddress }: Party, day: string): boolean =>
  !electronicAddress || hasCode('en-address-schemes', electronicAddress.scheme, day);

const isInOrder = (period: Period | undefined): boolean => !period || period.start <= period.end;

const isIdentified = ({ seller: { vatId, registrationNumber, registerEntry, taxNumber } }: EInvoice): boolean =>
  [vatId, registrationNumber?.value, registerEntry, taxNumber].some(isGiven);

const hasTerms = ({ totals, dueDate, paymentTerms }: EInvoice): boolean =>
  !totals.due.greaterThan(0) || isGiven(dueDate) || isGiven(paymentTerms);

/** Rules of EN 16931 about the document, the parties, and the lines. */
export const en16931: Rule[] = [
  rule('BR-06', 'company.legal_name', ({ seller }) => isGiven(seller.name), 'The seller needs a legal name.'),
  rule('BR-09', 'company.country', ({ seller }) => isGiven(seller.address.country), 'The seller needs a country.'),
  rule(
    'BR-CO-26',
    'company.vat_id',
    isIdentified,
    'The seller needs a registration number, a register entry, a tax number, or a VAT number; the last does not count outside of VAT (O).',
  ),
  rule(
    'BR-CO-09',
    'company.vat_id',
    ({ seller }) => hasPrefix(seller),
    "The seller's VAT number must begin with its country's prefix, such as DE.",
  ),
  rule('BR-07', 'customer.company_name', ({ buyer }) => isGiven(buyer.name), 'The buyer needs a name.'),
  rule('BR-11', 'customer.country', ({ buyer }) => isGiven(buyer.address.country), 'The buyer needs a country.'),
  rule(
    'BR-CO-09',
    'customer.vat_id',
    ({ buyer }) => hasPrefix(buyer),
    "The buyer's VAT number must begin with its country's prefix, such as DE.",
  ),
  rule(
    'BR-CL-25',
    'company.electronic_address_scheme',
    ({ seller, issueDate }) => hasScheme(seller, issueDate),
    "The scheme of the seller's electronic address must be a code of the list EAS.",
  ),
  rule(
    'BR-CL-25',
    'customer.electronic_address_scheme',
    ({ buyer, issueDate }) => hasScheme(buyer, issueDate),
    "The scheme of the buyer's electronic address must be a code of the list EAS.",
  ),
  rule(
    'BR-CL-11',
    'company.registration_number_scheme',
    ({ seller: { registrationNumber }, issueDate }) =>
      !registrationNumber || hasCode('en-registration-schemes', registrationNumber.scheme, issueDate),
    "The scheme of the seller's registration number must be a code of the list ICD.",
  ),
  rule(
    'BR-CL-04',
    'currency',
    ({ currency, issueDate }) => hasCode('en-currencies', currency, issueDate),
    'The code list of EN 16931 does not have this currency.',
  ),
  rule(
    'BR-DEC-14',
    'currency',
    ({ currency }) => minorDigits(currency) <= 2,
    'Amounts must not have more than two decimals, so there is no e-invoice in this currency.',
  ),
  rule('BR-CO-25', 'due_date', hasTerms, 'There must be a due date or payment terms while something is due.'),
  rule(
    'BR-61',
    'company.iban',
    ({ payment }) => !payment || isGiven(payment.iban),
    'A credit transfer needs an account.',
  ),
  rule(
    'BR-55',
    'invoice_id',
    ({ precedingInvoice }) => !precedingInvoice || isGiven(precedingInvoice.number),
    'The invoice that is referred to needs a number.',
  ),
  rule(
    'BR-29',
    'items.0.service_period_end',
    ({ delivery }) => isInOrder(delivery.period),
    'The last day of the invoiced period must not be before the first.',
  ),
  rule(
    'BR-57',
    'customer.country',
    ({ delivery: { city, postalCode, country } }) => isGiven(country) || !(isGiven(city) || isGiven(postalCode)),
    'The address of the delivery needs a country.',
  ),
  rule('BR-16', 'items', ({ lines }) => lines.length > 0, 'There must be at least one line.'),
  lineRule('BR-25', 'title', ({ name }) => isGiven(name), 'The line needs a title.'),
  lineRule(
    'BR-27',
    'unit_price_net',
    ({ unitPrice }) => !unitPrice.lessThan(0),
    'A unit price must not be negative. A negative quantity says the same.',
  ),
  lineRule(
    'BR-CL-23',
    'unit_code',
    ({ unitCode }, { issueDate }) => hasCode('en-units', unitCode, issueDate),
    'The unit must have a code of UN/ECE Recommendation 20, such as HUR, DAY, or C62.',
  ),
  lineRule(
    'BR-30',
    'service_period_end',
    ({ period }) => isInOrder(period),
    'The last day of the service period must not be before the first.',
  ),
];
