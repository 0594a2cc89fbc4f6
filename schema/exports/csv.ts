import { stringify } from 'csv-stringify/sync';
import type { Cells, CellType, Column } from './table.ts';

// CSV as RFC 4180 has it: commas, quotes where they are needed, CR LF. In UTF-8 with a byte order mark, by which spreadsheets
// recognize it.

const byteOrderMark = '\uFEFF';

/**
 * The first characters that make spreadsheets take a cell for a formula (OWASP, CSV injection). East Asian ones take the full-width
 * forms of these for the same.
 */
const beginsFormula = /^[=+\-@＝＋－＠\t\r]/;
const isNumber = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * The same within a text, for spreadsheets that split by semicolons, as German ones do, or by tabs: they begin a cell there, and
 * at a line's end, as our quotes don't stand where theirs would. A number is no exception: the next column is in the same cell.
 */
const beginsFormulaWithin = /[=+\-@＝＋－＠](?<=[;\t\r\n][\s"]*.)/g;

/** A text that no spreadsheet takes for a formula: an apostrophe stands before what would be one. Numbers are no formulas. */
export function formulaSafe(text: string): string {
  const inner = text.replaceAll(beginsFormulaWithin, "'$&");
  return beginsFormula.test(text) && !isNumber.test(text) ? `'${inner}` : inner;
}

const encodeCell = (cell: string | null, type: CellType | undefined): string => {
  if (cell === null) return '';
  return type === 'text' ? formulaSafe(cell) : cell;
};

const encodeRows = (rows: readonly (readonly string[])[]): Buffer =>
  Buffer.from(stringify(rows as string[][], { record_delimiter: 'windows' }));

/** A table as CSV, a page at a time. @param isMarked whether it begins with the byte order mark */
export async function* csvChunks(
  columns: readonly Pick<Column, 'name' | 'type'>[],
  pages: AsyncIterable<readonly Cells[]>,
  { isMarked = true }: { isMarked?: boolean } = {},
): AsyncGenerator<Buffer> {
  const head = encodeRows([columns.map(({ name }) => name)]);
  yield isMarked ? Buffer.concat([Buffer.from(byteOrderMark), head]) : head;
  for await (const rows of pages)
    yield encodeRows(rows.map((cells) => cells.map((cell, at) => encodeCell(cell, columns[at]?.type))));
}
