import { builder } from '../../graphql/builder.ts';
import {
  requiredText,
  decimal,
  text,
  unitPrice,
  vatRate,
  vatCategory,
  unitCode,
  discountPercent,
} from '../../graphql/input/validators.ts';
import { type Line, Decimal, type TotalledLine } from '../../money/money.ts';
import { vatCategoriesByCode, type VatCategory } from '../../money/vat-categories.ts';
import { unitCodesByLabel, unitOne } from '../../codes/unit-codes.ts';
import type { Db, Row } from '../../../prisma/client.ts';
import { isChanged } from '../../rows/is-changed.ts';

// The lines of an invoice that are to be written: their input, their rules, and what follows from their fields.

export const InvoiceItemInput = builder.inputType('InvoiceItemInput', {
  description: 'One line of an invoice.',
  fields: (t) => ({
    title: t.string({ required: true, validate: requiredText(255) }),
    quantity: t.field({ type: 'Decimal', required: true, validate: decimal({ decimals: 4, nonZero: true }) }),
    unit: t.string({ validate: text(20) }),
    unitPriceNet: t.field({ type: 'Decimal', required: true, validate: unitPrice }),
    vatRate: t.field({ type: 'Decimal', required: true, validate: vatRate }),
    vatCategory: t.string({ validate: vatCategory }),
    exemptionReason: t.string({ validate: requiredText(1024) }),
    unitCode: t.string({ validate: unitCode }),
    description: t.string({ validate: text(2000) }),
    discountPercent: t.field({ type: 'Decimal', validate: discountPercent }),
    servicePeriodStart: t.field({ type: 'Date' }),
    servicePeriodEnd: t.field({ type: 'Date' }),
  }),
});

/** A line's fields that may be left out. */
export interface Details {
  unit?: string | null;
  vatCategory?: string | null;
  exemptionReason?: string | null;
  unitCode?: string | null;
  description?: string | null;
  servicePeriodStart?: Date | null;
  servicePeriodEnd?: Date | null;
}

/** A line as an input has it, or as it is stored. */
export interface NewLine extends Line, Details {
  title: string;
}

/** A decimal of ours, or of a row. */
type Written = Pick<Decimal, 'toFixed'>;

/** The category of a line that says none: by its rate. */
export const usualVatCategory = (rate: Written): VatCategory => (rate.toFixed() === '0' ? 'Z' : 'S');

/** The category of a stored line, by the alias of its table, as an expression of SQL. */
export const vatCategorySql = (line: string): string =>
  `coalesce(${line}.vat_category, case when ${line}.vat_rate = 0 then 'Z' else 'S' end)`;

/** The category of a new or a stored line. Lines from before there were categories have none of their own. */
export const getVatCategory = (line: { vatCategory?: string | null; vatRate: Written }): VatCategory =>
  vatCategoriesByCode.get(line.vatCategory ?? '') ?? usualVatCategory(line.vatRate);

/** Lines, each with its category. */
export const categorized = <Of extends { vatCategory: string | null; vatRate: Written }>(lines: Of[]) =>
  lines.map((line) => ({ ...line, vatCategory: getVatCategory(line) }));

/**
 * The unit's code of a new or a stored line: its own; of its unit's label, in any case; C62 for other labels, and for none.
 * Lines from before there were codes have none of their own.
 */
export const getUnitCode = (line: { unit?: string | null; unitCode?: string | null }): string =>
  line.unitCode ?? unitCodesByLabel.get(line.unit?.toLowerCase() ?? '') ?? unitOne;

/** A line's fields in full. */
const wholeLine = (line: NewLine) => ({
  title: line.title,
  quantity: line.quantity,
  unit: line.unit ?? null,
  unitPriceNet: line.unitPriceNet,
  vatRate: line.vatRate,
  vatCategory: getVatCategory(line),
  exemptionReason: line.exemptionReason ?? null,
  unitCode: getUnitCode(line),
  description: line.description ?? null,
  discountPercent: new Decimal(line.discountPercent?.toFixed() ?? 0),
  servicePeriodStart: line.servicePeriodStart ?? null,
  servicePeriodEnd: line.servicePeriodEnd ?? null,
});

/** The items of an invoice with these lines, not written yet. */
export function buildItems(db: Db, invoiceId: string, lines: TotalledLine<NewLine>[]): Row<'InvoiceItem'>[] {
  const items: Row<'InvoiceItem'>[] = [];
  for (const line of lines) {
    const { lineTotalNet } = line;
    items.push(db.row('InvoiceItem', { ...wholeLine(line), position: items.length + 1, lineTotalNet, invoiceId }));
  }
  return items;
}

type StoredLine = Parameters<typeof getVatCategory>[0] & Parameters<typeof getUnitCode>[0];

/** Whether new lines differ from the stored ones. */
export const areChanged = (stored: StoredLine[], lines: NewLine[]): boolean =>
  stored.length !== lines.length ||
  lines.some((line, index) => {
    const before = stored[index];
    if (!before) return true;
    const known = { ...before, vatCategory: getVatCategory(before), unitCode: getUnitCode(before) };
    return isChanged(known, wholeLine(line));
  });
