import currencyCodes from 'currency-codes';
import type { VatCategory } from './vat-categories.ts';
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

/** An amount in another currency. @param rate what one unit of its own was worth in that */
export const convert = (amount: Decimal, rate: Decimal, currency: string): Decimal =>
  round(amount.times(rate), currency);

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

/** VAT on a net sum, rounded. */
export const computeVat = (net: Decimal, vatRate: Written, currency: string): Decimal =>
  round(net.times(vatRate.toFixed()).dividedBy(100), currency);

const zero = new Decimal(0);

/**
 * VAT once per rate, over the sum of that rate's lines (EN 16931, BR-CO-17), rates ascending.
 * Takes line totals already rounded.
 */
export function vatBreakdown(lines: { lineTotalNet: Written; vatRate: Written }[], currency: string): VatShare[] {
  const nets = new Map<string, Decimal>();
  for (const { vatRate, lineTotalNet } of lines) {
    const rate = vatRate.toFixed();
    nets.set(rate, (nets.get(rate) ?? zero).plus(lineTotalNet.toFixed()));
  }
  const shares: VatShare[] = [];
  for (const [rate, net] of nets) {
    const vatRate = new Decimal(rate);
    shares.push({ vatRate, net, vat: computeVat(net, vatRate, currency) });
  }
  return shares.toSorted((a, b) => a.vatRate.comparedTo(b.vatRate));
}

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
  vatCategory: VatCategory;
  exemptionReason: string | null;
}

/**
 * VAT once per category and rate, rates ascending, then categories. Only lines at 0 % differ in category, so that the VAT of
 * a rate is the same in both breakdowns.
 */
export function vatBreakdownByCategory(lines: CategorizedLine[], currency: string): VatCategoryShare[] {
  const shares: VatCategoryShare[] = [];
  for (const [vatCategory, ofCategory] of Map.groupBy(lines, (line) => line.vatCategory)) {
    const reasons = new Set(ofCategory.flatMap(({ exemptionReason }) => exemptionReason ?? []));
    const exemptionReason = [...reasons].join('; ') || null;
    for (const share of vatBreakdown(ofCategory, currency)) shares.push({ ...share, vatCategory, exemptionReason });
  }
  return shares.toSorted((a, b) => a.vatRate.comparedTo(b.vatRate) || (a.vatCategory < b.vatCategory ? -1 : 1));
}

/** A line with its net total. */
export type TotalledLine<Of = Line> = Of & { lineTotalNet: Decimal };

export interface InvoiceTotals<Of = Line> {
  lines: TotalledLine<Of>[];
  vatBreakdown: VatShare[];
  totalNet: Decimal;
  totalVat: Decimal;
  totalGross: Decimal;
}

/** The totals of an invoice's lines. */
export function invoiceTotals<Of extends Line>(lines: Of[], currency: string): InvoiceTotals<Of> {
  const totalled: TotalledLine<Of>[] = [];
  for (const line of lines) totalled.push({ ...line, lineTotalNet: lineTotal(line, currency) });
  const shares = vatBreakdown(totalled, currency);
  let [totalNet, totalVat] = [zero, zero];
  for (const { net, vat } of shares) {
    totalNet = totalNet.plus(net);
    totalVat = totalVat.plus(vat);
  }
  return { lines: totalled, vatBreakdown: shares, totalNet, totalVat, totalGross: totalNet.plus(totalVat) };
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

export const sum = (amounts: Decimal[]): Decimal => amounts.reduce((a, b) => a.plus(b), zero);
