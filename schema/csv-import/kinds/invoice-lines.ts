import { Decimal, invoiceTotals, lineTotal, minorDigits } from '../../money/money.ts';
import type { InvoiceItemInput, NewLine } from '../../resources/invoice/line.ts';
import type { Values } from '../read-row.ts';

/** A line of an imported invoice. */
export type ImportedLine = NewLine;

const readText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const readDay = (value: unknown): Date | null => (value instanceof Date ? value : null);

const one = new Decimal(1);

/** The details of a row's line that have rules between them, those that are valid. */
export const readDetails = (values: Values) => ({
  vatRate: values['vatRate'] instanceof Decimal ? values['vatRate'] : undefined,
  vatCategory: readText(values['vatCategory']),
  exemptionReason: readText(values['exemptionReason']),
  servicePeriodStart: readDay(values['servicePeriodStart']),
  servicePeriodEnd: readDay(values['servicePeriodEnd']),
});

/** The line of a row; undefined where it lacks a valid value. */
export function readLine(values: Values, currency: string): ImportedLine | undefined {
  const { title, subject, number, quantity = one, unit, unitPriceNet, lineTotalNet, vatRate } = values;
  if (!(quantity instanceof Decimal) || !(unitPriceNet instanceof Decimal) || !(vatRate instanceof Decimal))
    return undefined;
  const line = {
    title: String(title ?? subject ?? number),
    quantity,
    unit: readText(unit),
    unitPriceNet,
    ...readDetails(values),
    vatRate,
    unitCode: readText(values['unitCode']),
    description: readText(values['description']),
    discountPercent: values['discountPercent'] instanceof Decimal ? values['discountPercent'] : null,
  } satisfies Record<keyof typeof InvoiceItemInput.$inferInput, unknown>;
  return lineTotalNet instanceof Decimal ? withTotal(line, lineTotalNet, currency) : line;
}

/**
 * A line with this net total. A discount that makes another total is left out. A price that would need more than four
 * decimals becomes the price of the whole line.
 */
function withTotal(line: ImportedLine, total: Decimal, currency: string): ImportedLine {
  if (lineTotal(line, currency).equals(total)) return line;
  const unitPriceNet = total.dividedBy(line.quantity).toDecimalPlaces(4);
  const undiscounted = { ...line, discountPercent: null };
  if (lineTotal({ ...undiscounted, unitPriceNet }, currency).equals(total)) return { ...undiscounted, unitPriceNet };
  return { ...undiscounted, quantity: one, unitPriceNet: total };
}

/**
 * The line that makes up for the rounding of VAT on each line, which other systems do (DECISIONS.md#d82-invoices-of-other-systems):
 * the VAT here is rounded once for each rate. Undefined if the totals agree, or differ by more than half a minor unit per line.
 */
export function roundingLine(lines: ImportedLine[], totalGross: Decimal, currency: string): ImportedLine | undefined {
  const difference = totalGross.minus(invoiceTotals(lines, currency).totalGross);
  const digits = minorDigits(currency);
  const most = new Decimal(10).pow(-digits).dividedBy(2).times(lines.length);
  if (difference.isZero() || difference.abs().greaterThan(most) || difference.decimalPlaces() > digits)
    return undefined;
  return { title: 'Rounding', quantity: one, unit: null, unitPriceNet: difference, vatRate: new Decimal(0) };
}
