import currencyCodes from 'currency-codes';
import { Decimal } from './decimal.ts';

export { Decimal, fits, maxDigits } from './decimal.ts';

// ISO 4217. Newer than the table: the Caribbean guilder and the Arab accounting dinar (2025). Not money: XTS is for
// tests and XXX means "no currency".
const minorDigitsOf = new Map(currencyCodes.data.map(({ code, digits }) => [code, digits]));
minorDigitsOf.set('XCG', 2).set('XAD', 2);
minorDigitsOf.delete('XTS');
minorDigitsOf.delete('XXX');

/** Whether `code` is an ISO 4217 currency. */
export const isCurrency = (code: string): boolean => minorDigitsOf.has(code);

/** Minor digits of an ISO 4217 currency: EUR 2, JPY 0, TND 3. Throws for a code that isn't one. */
export function minorDigits(currency: string): number {
  const digits = minorDigitsOf.get(currency);
  if (digits === undefined) throw new Error(`${currency} is no ISO 4217 currency`);
  return digits;
}

/** Rounds to the currency's minor digits, half away from zero. */
const round = (amount: Decimal, currency: string): Decimal => amount.toDecimalPlaces(minorDigits(currency));

export interface Line {
  quantity: Decimal;
  unitPriceNet: Decimal;
  vatRate: Decimal;
}

export interface VatShare {
  vatRate: Decimal;
  net: Decimal;
  vat: Decimal;
}

/** A line's net total, in the currency's minor digits. */
export function lineTotal(line: Pick<Line, 'quantity' | 'unitPriceNet'>, currency: string): Decimal {
  return round(new Decimal(line.quantity).times(line.unitPriceNet), currency);
}

/** A decimal of ours, or of a row. A row's decimal has its text, which is cheaper to use (prisma/query-compiler/decimal.ts). */
type Written = Pick<Decimal, 'toFixed'>;

/**
 * VAT once per rate, over the sum of that rate's lines (EN 16931, BR-CO-17), rates ascending.
 * Takes line totals already rounded.
 */
export function vatBreakdown(lines: { lineTotalNet: Written; vatRate: Written }[], currency: string): VatShare[] {
  const netByRate = new Map<string, Decimal>();
  for (const line of lines) {
    const rate = line.vatRate.toFixed();
    netByRate.set(rate, (netByRate.get(rate) ?? new Decimal(0)).plus(line.lineTotalNet.toFixed()));
  }
  return [...netByRate]
    .map(([rate, net]) => ({
      vatRate: new Decimal(rate),
      net,
      vat: round(net.times(rate).dividedBy(100), currency),
    }))
    .toSorted((a, b) => a.vatRate.comparedTo(b.vatRate));
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
