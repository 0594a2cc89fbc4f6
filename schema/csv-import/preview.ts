import { Decimal } from '../money/money.ts';
import { importableFields } from './fields.ts';
import type { Kind } from './kind.ts';
import type { ImportedRecord } from './records.ts';

/** Rows in a preview. */
export const previewRows = 5;

/** A row of a file, as it was read. */
export interface PreviewRow {
  line: number;
  /** Fields that could be read. Decimals have a point, days are `YYYY-MM-DD`. */
  cells: { field: string; text: string }[];
}

/** The rows of the first records. */
export const buildPreview = (kind: Kind, records: ImportedRecord[]): PreviewRow[] =>
  records
    .slice(0, previewRows)
    .flatMap((record) => record.rows)
    .slice(0, previewRows)
    .map(({ row, values }) => ({
      line: row.line,
      cells: Object.keys(importableFields(kind)).flatMap((field) => {
        const text = formatValue(values[field]);
        return text === undefined ? [] : { field, text };
      }),
    }));

function formatValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return value instanceof Decimal ? value.toFixed() : String(value);
}
