import { builder } from '../../graphql/builder.ts';
import { getUnitCode, usualUnitCode } from '../../codes/unit-codes.ts';
import { isVatCategory, takesExemptionReason, usualVatCategory, getVatCategory } from '../../money/vat-categories.ts';
import type { Problems } from '../../errors.ts';
import {
  decimal,
  discountPercent,
  requiredText,
  text,
  unitCode,
  unitPrice,
  vatCategory,
  vatRate,
} from '../../graphql/input/validators.ts';
import { Decimal, lineTotal, type Line } from '../../money/money.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
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
interface Details {
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

export const isWhole = (line: Readable<Line> | undefined): line is Line =>
  line?.quantity !== undefined && line.unitPriceNet !== undefined && line.vatRate !== undefined;

type RuledLine = Readable<Details> & { vatRate?: Parameters<typeof usualVatCategory>[0] };

/** Checks the rules between a line's fields, on those that are valid by themselves. @param at its path, '' for none */
export function lineRules(line: RuledLine | undefined, problems: Problems, at: string): void {
  if (!line) return;
  const { vatRate: rate, exemptionReason, servicePeriodStart: start, servicePeriodEnd: end } = line;
  const path = (field: string): string => (at === '' ? field : `${at}.${field}`);
  const category = line.vatCategory ?? (rate && usualVatCategory(rate));
  const isZero = rate?.toFixed() === '0';
  if (rate && category && isVatCategory(category) && isZero === (category === 'S')) {
    const message = isZero ? 'S needs a VAT rate above 0.' : 'Must be S, as the VAT rate is above 0.';
    problems.add(path('vatCategory'), message);
  }
  const isKnown = !problems.has(path('vatCategory')); // an invalid one isn't in the line
  if (isKnown && exemptionReason && category && isVatCategory(category) && !takesExemptionReason(category))
    problems.add(path('exemptionReason'), 'Only with a VAT category of E, AE, K, G, or O.');
  if (start && end && end < start) problems.add(path('servicePeriodEnd'), 'Must not be before the first day.');
}

/** A line's fields in full. */
const wholeLine = (line: NewLine) => ({
  title: line.title,
  quantity: line.quantity,
  unit: line.unit ?? null,
  unitPriceNet: line.unitPriceNet,
  vatRate: line.vatRate,
  vatCategory: line.vatCategory ?? usualVatCategory(line.vatRate),
  exemptionReason: line.exemptionReason ?? null,
  unitCode: line.unitCode ?? usualUnitCode(line.unit),
  description: line.description ?? null,
  discountPercent: new Decimal(line.discountPercent?.toFixed() ?? 0),
  servicePeriodStart: line.servicePeriodStart ?? null,
  servicePeriodEnd: line.servicePeriodEnd ?? null,
});

/** The items of an invoice with these lines. */
export const buildItems = (lines: NewLine[], inCurrency: string) =>
  lines.map((line, index) => ({
    ...wholeLine(line),
    position: index + 1,
    lineTotalNet: lineTotal(line, inCurrency),
  }));

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
