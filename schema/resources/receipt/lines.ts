import type { Db, Row } from '../../../prisma/client.ts';
import { builder } from '../../graphql/builder.ts';
import { count, decimal, receiptVatCategory, text, vatRate } from '../../graphql/input/validators.ts';
import { computeVat, Decimal, minorDigitsSql, sum, vatIncluded } from '../../money/money.ts';
import { usualVatCategory } from '../invoice/line.ts';
import { byPosition } from '../invoice/type.ts';

// The lines of a receipt: what a document says of each part of its amount (DECISIONS.md#d145-receipt-lines).

/** The most lines of one receipt. */
export const maxLines = 100;

export const lineCount = count(1, maxLines, 'lines');

export const ReceiptLineInput = builder.inputType('ReceiptLineInput', {
  description:
    'One line of a receipt. It has a net or a gross amount; one that has both has the difference as its VAT.',
  fields: (t) => ({
    description: t.string({ validate: text(2000) }),
    account: t.string({ validate: text(64) }),
    vatCategory: t.string({
      description: 'Default: Z where the rate is 0, else S.',
      validate: receiptVatCategory,
    }),
    vatRate: t.field({ type: 'Decimal', description: 'Per cent: 19 for 19 %. Default: 0.', validate: vatRate }),
    deductiblePercent: t.field({
      type: 'Decimal',
      description: 'How much of the VAT can be deducted, in per cent. Default: 100.',
      validate: decimal({ decimals: 2, min: 0, max: 100 }),
    }),
    amountNet: t.field({ type: 'Decimal', validate: decimal({}) }),
    amountGross: t.field({ type: 'Decimal', validate: decimal({}) }),
    vatAmount: t.field({
      type: 'Decimal',
      description: 'The VAT as the document states it. Default: that of the amount and the rate.',
      validate: decimal({}),
    }),
  }),
});

/** A line as an input has it. */
export interface NewLine {
  description?: string | null;
  account?: string | null;
  vatCategory?: string | null;
  vatRate?: Decimal | null;
  deductiblePercent?: Decimal | null;
  amountNet?: Decimal | null;
  amountGross?: Decimal | null;
  vatAmount?: Decimal | null;
}

/** A line with all that it says, as it is answered. */
export interface Line {
  description: string | null;
  account: string | null;
  vatCategory: string;
  vatRate: Decimal;
  deductiblePercent: Decimal;
  amountNet: Decimal;
  vatAmount: Decimal;
  amountGross: Decimal;
}

/** Categories whose VAT the document doesn't state: the buyer owes it. */
const isOwedByBuyer = (category: string): boolean => category === 'AE' || category === 'K';

const zero = new Decimal(0);
const whole = new Decimal(100);

/** The VAT of a net or a gross amount. Import VAT is all of its amount. */
function computeLineVat(
  category: string,
  rate: Decimal,
  { amountNet, amountGross }: Pick<NewLine, 'amountNet' | 'amountGross'>,
  currency: string,
): Decimal {
  if (isOwedByBuyer(category)) return zero;
  if (category === 'IMPORT') return amountGross ?? zero;
  if (amountGross) return vatIncluded(amountGross, rate, currency).vatAmount;
  return amountNet ? computeVat(amountNet, rate, currency) : zero;
}

/** @param line with a net or a gross amount */
export function completeLine(line: NewLine, currency: string): Line {
  const rate = new Decimal(line.vatRate ?? 0);
  const vatCategory = line.vatCategory ?? usualVatCategory(rate);
  const { amountNet: net, amountGross: gross } = line;
  const difference = net && gross ? gross.minus(net) : null;
  const vatAmount = line.vatAmount ?? difference ?? computeLineVat(vatCategory, rate, line, currency);
  return {
    description: line.description ?? null,
    account: line.account ?? null,
    vatCategory,
    vatRate: rate,
    deductiblePercent: line.deductiblePercent ?? whole,
    amountNet: net ?? (gross ?? zero).minus(vatAmount),
    vatAmount,
    amountGross: gross ?? (net ?? zero).plus(vatAmount),
  };
}

/** A receipt's columns that say all of a usual line. */
type OneLine = Pick<Row<'Receipt'>, 'vatRate' | 'vatAmount' | 'amountNet' | 'amountGross'>;

/** The fields of a receipt that answers need for its lines. */
export const selectLines = {
  vatRate: true,
  vatAmount: true,
  amountNet: true,
  amountGross: true,
  lines: byPosition,
} as const;

const toDecimal = (amount: Pick<Decimal, 'toFixed'>): Decimal => new Decimal(amount.toFixed());

/** A receipt's lines. */
export function toLines({ lines, ...receipt }: OneLine & { lines: Omit<Row<'ReceiptLine'>, 'tenantId'>[] }): Line[] {
  if (lines.length === 0) {
    const rate = toDecimal(receipt.vatRate ?? zero);
    const nothing = { description: null, account: null, deductiblePercent: whole };
    const amounts = {
      amountNet: toDecimal(receipt.amountNet),
      vatAmount: toDecimal(receipt.vatAmount),
      amountGross: toDecimal(receipt.amountGross),
    };
    return [{ ...nothing, vatCategory: usualVatCategory(rate), vatRate: rate, ...amounts }];
  }
  return lines.map((line) => ({
    description: line.description,
    account: line.account,
    vatCategory: line.vatCategory,
    vatRate: toDecimal(line.vatRate),
    deductiblePercent: toDecimal(line.deductiblePercent),
    amountNet: toDecimal(line.amountNet),
    vatAmount: toDecimal(line.vatAmount),
    amountGross: toDecimal(line.amountGross),
  }));
}

/** The columns of a receipt that follow from its lines. */
export function sumLines(lines: Line[]) {
  const [one, ...others] = lines;
  return {
    vatRate: one && others.length === 0 ? one.vatRate : null,
    vatAmount: sum(lines.map(({ vatAmount }) => vatAmount)),
    amountNet: sum(lines.map(({ amountNet }) => amountNet)),
    amountGross: sum(lines.map(({ amountGross }) => amountGross)),
  };
}

/** Whether the receipt's own columns say all of its lines. */
function isUsual(lines: Line[], currency: string): boolean {
  const [one, ...others] = lines;
  if (!one || others.length > 0 || one.description !== null || one.account !== null) return false;
  const { vatCategory, vatRate: rate, deductiblePercent, vatAmount, amountGross } = one;
  return (
    vatCategory === usualVatCategory(rate) &&
    deductiblePercent.equals(whole) &&
    vatAmount.equals(vatIncluded(amountGross, rate, currency).vatAmount)
  );
}

/** The rows of a receipt's lines, not written yet. */
export function buildLines(db: Db, receiptId: string, lines: Line[], currency: string): Row<'ReceiptLine'>[] {
  if (isUsual(lines, currency)) return [];
  return lines.map((line, index) => db.row('ReceiptLine', { ...line, receiptId, position: index + 1 }));
}

/** The opposite of lines, for a reversal. */
export const negateLines = (lines: Line[]): Line[] =>
  lines.map(({ amountNet, vatAmount, amountGross, ...line }) => ({
    ...line,
    amountNet: zero.minus(amountNet),
    vatAmount: zero.minus(vatAmount),
    amountGross: zero.minus(amountGross),
  }));

/**
 * A receipt's only line with another gross amount, rate, or currency. It gets the VAT that follows, and where the rate asks for it
 * the usual category.
 */
export function changeLine(line: Line, amountGross: Decimal, rate: Decimal, currency: string): Line {
  const { description, account, deductiblePercent, vatCategory: before } = line;
  const isFree = isOwedByBuyer(before) || before === 'IMPORT' || (rate.isZero() && before !== 'S');
  const vatCategory = isFree ? before : usualVatCategory(rate);
  return completeLine({ description, account, deductiblePercent, vatCategory, vatRate: rate, amountGross }, currency);
}

/**
 * A statement that finds the lines of receipts, `document` in its condition: also of those whose own columns say all of their
 * one line. Reports and exports read them by it.
 */
export const receiptLinesSql = (where: string): string => `
  select document.id, document.receipt_number as number, document.receipt_date as date, document.currency,
    ${minorDigitsSql('document.currency')} as digits, document.amount_gross as total, coalesce(line.position, 1) as position,
    coalesce(line.vat_category, case when document.vat_rate > 0 then 'S' else 'Z' end) as category,
    coalesce(line.vat_rate, document.vat_rate, 0) as rate, coalesce(line.deductible_percent, 100) as deductible,
    coalesce(line.amount_net, document.amount_net) as net, coalesce(line.vat_amount, document.vat_amount) as vat,
    coalesce(line.amount_gross, document.amount_gross) as gross, line.account, line.description, document.supplier_country,
    document.exchange_rate, document.exchange_currency
  from receipts as document
    left join receipt_lines as line on line.tenant_id = document.tenant_id and line.receipt_id = document.id
  where ${where}`;
