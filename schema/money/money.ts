import currencyCodes from 'currency-codes';
import { getVatCategory, type VatCategory } from './vat-categories.ts';
import { Decimal } from './decimal.ts';

export { Decimal, fits, maxDigits } from './decimal.ts';

// ISO 4217. Newer than the table: the Caribbean guilder and the Arab accounting dinar (2025). Not money: XTS is for
// tests and XXX means "no currency".
const minorDigitsByCurrency = new Map(currencyCodes.data.map(({ code, digits }) => [code, digits]));
minorDigitsByCurrency.set('XCG', 2).set('XAD', 2);
minorDigitsByCurrency.delete('XTS');
minorDigitsByCurrency.delete('XXX');

/** Whether `code` is an ISO 4217 currency. */
export const isCurrency = (code: string): boolean => minorDigitsByCurrency.has(code);

/** Minor digits of an ISO 4217 currency: EUR 2, JPY 0, TND 3. Throws for a code that isn't one. */
export function minorDigits(currency: string): number {
  const digits = minorDigitsByCurrency.get(currency);
  if (digits === undefined) throw new Error(`${currency} is no ISO 4217 currency`);
  return digits;
}

/** The minor digits of the currency in a column, as an expression of SQL. */
export const minorDigitsSql = (column: string): string => {
  const others = [...minorDigitsByCurrency].filter(([, digits]) => digits !== 2);
  return `case ${column} ${others.map(([code, digits]) => `when '${code}' then ${digits}`).join(' ')} else 2 end`;
};

/** The smallest amount of a currency: 0.01 EUR, 1 JPY. */
export const minorUnit = (currency: string): Decimal => new Decimal(10).pow(-minorDigits(currency));

/** Rounds to the currency's minor digits, half away from zero. */
const round = (amount: Decimal, currency: string): Decimal => amount.toDecimalPlaces(minorDigits(currency));

export interface Line {
  quantity: Decimal;
  unitPriceNet: Decimal;
  vatRate: Decimal;
  /** Per cent of quantity × unit price. */
  discountPercent?: Decimal | null | undefined;
}

export interface VatShare {
  vatRate: Decimal;
  net: Decimal;
  vat: Decimal;
}

/** A decimal of ours, or of a row. A row's decimal has its text, which is cheaper to use (prisma/query-compiler/decimal.ts). */
type Written = Pick<Decimal, 'toFixed'>;

/** A line's net total, in the currency's minor digits: rounded once, after the discount. */
export function lineTotal(line: Omit<Line, 'vatRate'>, currency: string): Decimal {
  const total = new Decimal(line.quantity).times(line.unitPriceNet);
  const discount = new Decimal(line.discountPercent?.toFixed() ?? 0);
  return round(discount.isZero() ? total : total.times(new Decimal(100).minus(discount)).dividedBy(100), currency);
}

/** The net sums of lines that share a key. */
function netTotals<Of extends { lineTotalNet: Written }>(lines: Of[], keyOf: (line: Of) => string) {
  const totals = new Map<string, { first: Of; net: Decimal }>();
  for (const line of lines) {
    const key = keyOf(line);
    const total = totals.get(key);
    if (total) total.net = total.net.plus(line.lineTotalNet.toFixed());
    else totals.set(key, { first: line, net: new Decimal(line.lineTotalNet.toFixed()) });
  }
  return [...totals.values()];
}

/** VAT on a net sum, rounded. */
export const computeVat = (net: Decimal, vatRate: Written, currency: string): Decimal =>
  round(net.times(vatRate.toFixed()).dividedBy(100), currency);

const computeShare = (vatRate: Written, net: Decimal, currency: string): VatShare => ({
  vatRate: new Decimal(vatRate.toFixed()),
  net,
  vat: computeVat(net, vatRate, currency),
});

/**
 * VAT once per rate, over the sum of that rate's lines (EN 16931, BR-CO-17), rates ascending.
 * Takes line totals already rounded.
 */
export const vatBreakdown = (lines: { lineTotalNet: Written; vatRate: Written }[], currency: string): VatShare[] =>
  netTotals(lines, ({ vatRate }) => vatRate.toFixed())
    .map(({ first, net }) => computeShare(first.vatRate, net, currency))
    .toSorted((a, b) => a.vatRate.comparedTo(b.vatRate));

/** A VAT breakdown of EN 16931 (BG-23). */
export interface VatCategoryShare extends VatShare {
  vatCategory: VatCategory;
  /** The reasons of its lines, each once; null where none has one. */
  exemptionReason: string | null;
}

/** A line with what its VAT depends on. */
export interface CategorizedLine {
  lineTotalNet: Written;
  vatRate: Written;
  vatCategory: string | null;
  exemptionReason: string | null;
}

/**
 * VAT once per category and rate, rates ascending, then categories. Only lines at 0 % differ in category, so that the VAT of
 * a rate is the same in both breakdowns.
 */
export function vatBreakdownByCategory(lines: CategorizedLine[], currency: string): VatCategoryShare[] {
  const reasons = new Map<VatCategory, Set<string>>();
  for (const line of lines) {
    if (line.exemptionReason === null) continue;
    const category = getVatCategory(line);
    reasons.set(category, (reasons.get(category) ?? new Set()).add(line.exemptionReason));
  }
  return netTotals(lines, (line) => `${getVatCategory(line)} ${line.vatRate.toFixed()}`)
    .map(({ first, net }): VatCategoryShare => {
      const category = getVatCategory(first);
      const exemptionReason = [...(reasons.get(category) ?? [])].join('; ') || null;
      return { ...computeShare(first.vatRate, net, currency), vatCategory: category, exemptionReason };
    })
    .toSorted((a, b) => a.vatRate.comparedTo(b.vatRate) || (a.vatCategory < b.vatCategory ? -1 : 1));
}

export interface InvoiceTotals {
  vatBreakdown: VatShare[];
  totalNet: Decimal;
  totalVat: Decimal;
  totalGross: Decimal;
}

/** The totals of an invoice's lines. */
export function invoiceTotals(lines: Line[], currency: string): InvoiceTotals {
  const shares = vatBreakdown(
    lines.map((line) => ({ lineTotalNet: lineTotal(line, currency), vatRate: line.vatRate })),
    currency,
  );
  const totalNet = sum(shares.map((share) => share.net));
  const totalVat = sum(shares.map((share) => share.vat));
  return { vatBreakdown: shares, totalNet, totalVat, totalGross: totalNet.plus(totalVat) };
}

/** The VAT contained in a gross amount, and the rest: gross × rate ÷ (100 + rate), rounded. */
export function vatIncluded(
  gross: Decimal,
  rate: Decimal,
  currency: string,
): { vatAmount: Decimal; amountNet: Decimal } {
  const vatAmount = round(new Decimal(gross).times(rate).dividedBy(new Decimal(rate).plus(100)), currency);
  return { vatAmount, amountNet: new Decimal(gross).minus(vatAmount) };
}

export const sum = (amounts: Decimal[]): Decimal => amounts.reduce((a, b) => a.plus(b), new Decimal(0));
