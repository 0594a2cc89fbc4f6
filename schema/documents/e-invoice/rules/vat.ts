import type { EInvoice, Line, VatBreakdown, VatCategory } from '../model.ts';
import { Decimal, minorDigits, sum } from '../../../money/money.ts';
import { categoryRule, isGiven, lineRule, rule, uses, type Rule } from './rule.ts';

const categories: { code: VatCategory; prefix: string; name: string }[] = [
  { code: 'S', prefix: 'BR-S', name: 'the standard rate' },
  { code: 'Z', prefix: 'BR-Z', name: 'the zero rate' },
  { code: 'E', prefix: 'BR-E', name: 'an exemption from VAT' },
  { code: 'AE', prefix: 'BR-AE', name: 'reverse charge' },
  { code: 'K', prefix: 'BR-IC', name: 'an intra-community supply' },
  { code: 'G', prefix: 'BR-G', name: 'an export' },
  { code: 'O', prefix: 'BR-O', name: 'a supply outside of VAT' },
];

/** Which of the seller's numbers each category demands: BR-S-02 and its kin. */
const sellersNumbers: Record<VatCategory, 'VAT or tax number' | 'VAT number' | 'none'> = {
  S: 'VAT or tax number',
  Z: 'VAT or tax number',
  E: 'VAT or tax number',
  AE: 'VAT or tax number',
  K: 'VAT number',
  G: 'VAT number',
  O: 'none',
};

const partyRules = categories.flatMap(({ code, prefix, name }): Rule[] => {
  const demanded = sellersNumbers[code];
  const rules: Rule[] = [];
  if (demanded !== 'none') {
    rules.push(
      rule(
        `${prefix}-02`,
        'company.vat_id',
        (invoice) => {
          const { vatId, taxNumber } = invoice.seller;
          return !uses(invoice, code) || isGiven(vatId) || (demanded === 'VAT or tax number' && isGiven(taxNumber));
        },
        `For ${name} the seller needs a ${demanded}.`,
      ),
    );
  }
  if (code === 'AE' || code === 'K') {
    rules.push(
      rule(
        `${prefix}-02`,
        'customer.vat_id',
        (invoice) => !uses(invoice, code) || isGiven(invoice.buyer.vatId),
        `For ${name} the buyer needs a VAT number.`,
      ),
    );
  }
  return rules;
});

/** No line outside of VAT has its rate written, but the rate would show in the breakdown's VAT: therefore BR-O-09. */
const rateRules = categories.map(({ code, prefix, name }) =>
  code === 'S'
    ? lineRule(
        'BR-S-05',
        'vat_rate',
        (line) => line.vatCategory !== code || line.vatRate.greaterThan(0),
        'At the standard rate the VAT rate must be greater than 0.',
      )
    : lineRule(
        code === 'O' ? 'BR-O-09' : `${prefix}-05`,
        'vat_rate',
        (line) => line.vatCategory !== code || line.vatRate.isZero(),
        `For ${name} the VAT rate must be 0.`,
      ),
);

const getParts = ({ vatBreakdown }: EInvoice, code: VatCategory): VatBreakdown[] =>
  vatBreakdown.filter(({ category }) => category === code);

const reasonRules = categories.map(({ code, prefix, name }) => {
  const hasNone = code === 'S' || code === 'Z';
  return categoryRule(
    `${prefix}-10`,
    code,
    'exemption_reason',
    (invoice) => getParts(invoice, code).every(({ exemptionReason }) => isGiven(exemptionReason) !== hasNone),
    hasNone ? `For ${name} there must be no exemption reason.` : `For ${name} there must be an exemption reason.`,
  );
});

const supplyRules: Rule[] = [
  lineRule(
    'BR-O-12',
    'vat_category',
    ({ vatCategory }, invoice) => vatCategory === 'O' || !uses(invoice, 'O'),
    'If a line is outside of VAT (O), all lines must be.',
  ),
  categoryRule(
    'BR-IC-11',
    'K',
    'service_period_start',
    ({ delivery }) => isGiven(delivery.date) || delivery.period !== undefined,
    'An intra-community supply needs the day or the period of the delivery.',
  ),
  rule(
    'BR-IC-12',
    'customer.country',
    (invoice) => !uses(invoice, 'K') || isGiven(invoice.delivery.country),
    'An intra-community supply needs the country of the delivery.',
  ),
];

/** The lines of a part of the breakdown: of its category, and of its rate if the category has several. */
const netOfLines = ({ lines }: EInvoice, { category, rate }: VatBreakdown): Decimal =>
  sum(lines.filter((line) => line.vatCategory === category && line.vatRate.equals(rate)).map(({ net }) => net));

/** VAT of a part of the breakdown, rounded to the currency's minor digits. */
const computeVat = ({ net, rate }: VatBreakdown, currency: string): Decimal =>
  new Decimal(net).times(rate).dividedBy(100).toDecimalPlaces(minorDigits(currency));

/**
 * Of a credit note, VAT may differ by one minor unit, as the standard's validators allow: it is the difference between the
 * invoice's VAT before and after, each of which is rounded.
 */
function hasVatOf(part: VatBreakdown, { typeCode, currency }: EInvoice): boolean {
  const tolerance = typeCode === '381' ? new Decimal(10).pow(-minorDigits(currency)) : new Decimal(0);
  return part.vat.minus(computeVat(part, currency)).abs().lessThanOrEqualTo(tolerance);
}

const hasPart = (invoice: EInvoice, code: VatCategory): boolean =>
  invoice.lines
    .filter(({ vatCategory }) => vatCategory === code)
    .every((line) => getParts(invoice, code).filter(({ rate }) => rate.equals(line.vatRate)).length === 1);

/** Validators round the rate, and then expect no VAT at a rate of 0. */
const hasVatOfItsRate = ({ vatRate }: Line, { vatBreakdown }: EInvoice): boolean =>
  vatRate.isZero() ||
  vatRate.greaterThanOrEqualTo('0.5') ||
  vatBreakdown.every(({ rate, vat }) => !rate.equals(vatRate) || vat.abs().lessThan('0.5'));

/** Arithmetic. Kontor computes all of these amounts itself, so a breach is a fault of Kontor; it must not be sent. */
const sumRules: Rule[] = [
  rule(
    'BR-CO-10',
    'total_net',
    ({ totals, lines }) => totals.net.equals(sum(lines.map(({ net }) => net))),
    'The net total must be the sum of the lines.',
  ),
  rule(
    'BR-CO-14',
    'total_vat',
    ({ totals, vatBreakdown }) => totals.vat.equals(sum(vatBreakdown.map(({ vat }) => vat))),
    'The VAT must be the sum of the VAT breakdown.',
  ),
  rule(
    'BR-CO-15',
    'total_gross',
    ({ totals }) => totals.gross.equals(totals.net.plus(totals.vat)),
    'The gross total must be the net total plus VAT.',
  ),
  rule(
    'BR-CO-16',
    'amount_due',
    ({ totals }) => totals.due.equals(totals.gross.minus(totals.paid)),
    'The amount due must be the gross total minus what is paid.',
  ),
  rule(
    'BR-CO-17',
    'vat_breakdown',
    (invoice) => invoice.vatBreakdown.every((part) => hasVatOf(part, invoice)),
    'VAT must be the net amount times the rate, rounded.',
  ),
  rule('BR-CO-18', 'vat_breakdown', ({ vatBreakdown }) => vatBreakdown.length > 0, 'There must be a VAT breakdown.'),
  lineRule('BR-CO-17', 'vat_rate', hasVatOfItsRate, 'At a VAT rate below 0.5 there must be less than 0.5 of VAT.'),
  ...categories.flatMap(({ code, prefix, name }) => [
    categoryRule(
      `${prefix}-01`,
      code,
      'vat_category',
      (invoice) => hasPart(invoice, code),
      `The VAT breakdown must have a part for ${name}.`,
    ),
    rule(
      `${prefix}-08`,
      'vat_breakdown',
      (invoice) => getParts(invoice, code).every((part) => part.net.equals(netOfLines(invoice, part))),
      `The net amount for ${name} must be the sum of its lines.`,
    ),
  ]),
];

/** Rules of EN 16931 about VAT and totals. */
export const vat: Rule[] = [...partyRules, ...rateRules, ...reasonRules, ...supplyRules, ...sumRules];
