import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Decimal } from '../../money/decimal.ts';
import { amountReader, dayReader, directed } from './csv-values.ts';
import { StatementError, checked, parseId, quote, trimText, type StatementTransaction } from './transaction.ts';

/** A column, by its header's name in any case, or by its position from 1. */
export type CsvColumn = string | number;

/** The format of a bank's CSV files, as the user describes it. */
export interface CsvMapping {
  /** By default detected from the first row: `;`, `,`, tab or `|`. */
  delimiter?: string;
  /** A name of the WHATWG's Encoding Standard. By default UTF-8 or Windows-1252. */
  encoding?: string;
  /** Whether the first row has the columns' names. Default: true. */
  headerRow?: boolean;
  /** Lines before the first row. Default: 0. */
  skipLines?: number;
  /** The date format, of YYYY or YY, MM, and DD: `DD.MM.YYYY`. A time of day after it is ignored. */
  dateFormat: string;
  decimalSeparator: ',' | '.';
  columns: {
    bookingDate: CsvColumn;
    valueDate?: CsvColumn;
    /** With its sign, unless there is a `direction` column; or `debit` and `credit` instead. */
    amount?: CsvColumn;
    /** D or C, S or H, Soll or Haben, Af or Bij, DBIT or CRDT, - or +. */
    direction?: CsvColumn;
    /** Money sent; its sign is ignored. */
    debit?: CsvColumn;
    credit?: CsvColumn;
    currency?: CsvColumn;
    accountIban?: CsvColumn;
    counterpartyName?: CsvColumn;
    counterpartyIban?: CsvColumn;
    /** The texts of several columns are joined by spaces, in this order. */
    reference?: CsvColumn | CsvColumn[];
    externalId?: CsvColumn;
  };
  /** Used if there is no such column, or if its cell is empty. */
  accountIban?: string;
  currency?: string;
}

/** More characters than a row has, unless a quote was never closed. */
const maxRow = 200_000;
const maxCells = 1000;

/** Parses the rows of a CSV as transactions. An invalid row is an error: skipping it could lose a transaction. */
export async function* readCsv(text: AsyncIterable<string>, mapping: CsvMapping): AsyncGenerator<StatementTransaction> {
  const readDay = dayReader(mapping.dateFormat);
  const readAmount = amountReader(mapping.decimalSeparator);
  const { columns } = mapping;
  let rows: Columns | undefined;
  for await (const { line, cells } of readCsvRows(text, mapping)) {
    if (!rows) {
      rows = new Columns(mapping, cells, line);
      if (mapping.headerRow !== false) continue;
    }
    const where = `line ${line}`;
    const cell = rows.reader(cells);
    const value = cell(columns.valueDate);
    const references = [columns.reference ?? []].flat().flatMap((column) => cell(column) ?? []);
    yield checked(
      {
        accountIban: cell(columns.accountIban) ?? mapping.accountIban?.trim() ?? '',
        bookingDate: readDay(cell(columns.bookingDate) ?? '', where),
        valueDate: value === null ? null : readDay(value, where),
        amount: amountIn(cell, columns, readAmount, where),
        currency: cell(columns.currency) ?? mapping.currency?.trim() ?? '',
        externalId: parseId(cell(columns.externalId) ?? undefined),
        counterpartyName: cell(columns.counterpartyName),
        counterpartyIban: cell(columns.counterpartyIban),
        reference: trimText(references.join(' ')),
      },
      where,
    );
  }
  if (!rows) throw new StatementError(null, mapping.headerRow === false ? 'has no row' : 'has no header row');
}

type Cell = (column: CsvColumn | undefined) => string | null;

function amountIn(
  cell: Cell,
  columns: CsvMapping['columns'],
  readAmount: (text: string, where: string) => Decimal,
  where: string,
): Decimal {
  if (columns.amount !== undefined) {
    const amount = readAmount(cell(columns.amount) ?? '', where);
    return columns.direction === undefined ? amount : directed(amount, cell(columns.direction) ?? '', where);
  }
  const [debit, credit] = [cell(columns.debit), cell(columns.credit)].map((text) => text && readAmount(text, where));
  if (debit && credit && !debit.isZero() && !credit.isZero())
    throw new StatementError(where, 'row has both a debit and a credit');
  if (debit && (!credit || !debit.isZero())) return directed(debit, '-', where);
  if (credit) return credit;
  throw new StatementError(where, 'row has neither a debit nor a credit');
}

/** The positions of a mapping's columns, found in the first row. */
class Columns {
  readonly #indexes = new Map<CsvColumn, number>();

  constructor({ columns, headerRow, accountIban, currency }: CsvMapping, cells: string[], line: number) {
    const names = cells.map((cell) => cell.trim().toLowerCase());
    for (const column of Object.values(columns).flat()) {
      if (column === undefined) continue;
      if (typeof column === 'string' && headerRow === false)
        throw new StatementError(null, `has no header row, so columns need a number: ${quote(column)}`);
      const index = typeof column === 'number' ? column - 1 : names.indexOf(column.trim().toLowerCase());
      if (!Number.isInteger(index) || index < 0 || index >= cells.length)
        throw new StatementError(
          `line ${line}`,
          `row has no column ${quote(String(column))}; it has ${listOfCells(cells)}`,
        );
      this.#indexes.set(column, index);
    }
    if (columns.amount === undefined && (columns.debit === undefined || columns.credit === undefined))
      throw lacks('an amount, or a debit and a credit');
    if (columns.accountIban === undefined && !accountIban?.trim()) throw lacks('the account');
    if (columns.currency === undefined && !currency?.trim()) throw lacks('the currency');
  }

  /** Reads one row's cells; an empty one is null. */
  reader(cells: string[]): Cell {
    return (column) => (column === undefined ? null : trimText(cells[this.#indexes.get(column) ?? -1]));
  }
}

const lacks = (what: string): StatementError => new StatementError(null, `can't be read: the mapping lacks ${what}`);

const listOfCells = (cells: string[]): string => cells.slice(0, 40).map(quote).join(', ');

interface CsvRow {
  line: number;
  cells: string[];
}

/** The rows with the lines in which they begin. csv-parse requires the same number of cells in every row. */
export async function* readCsvRows(
  text: AsyncIterable<string>,
  mapping: Pick<CsvMapping, 'delimiter' | 'skipLines'>,
): AsyncGenerator<CsvRow> {
  const skipped = mapping.skipLines ?? 0;
  const { delimiter, whole } = await delimited(text, mapping, skipped);
  const parser = parse({
    delimiter,
    from_line: skipped + 1,
    info: true,
    // A quote inside unquoted text: Hotel "Stern".
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRow,
  });
  const source = Readable.from(whole, { objectMode: false, highWaterMark: 1 });
  // pipe() doesn't forward errors, and an error that is thrown into a stream comes out as another one.
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      const line = info.lines - lineBreaksIn(record);
      if (record.length > maxCells) throw new StatementError(`line ${line}`, `row has more than ${maxCells} cells`);
      yield { line, cells: record };
    }
  } catch (error) {
    throw error instanceof CsvError ? refusal(error) : error;
  } finally {
    source.destroy();
  }
}

/** The line in which a row begins. csv-parse reports where it ends; line breaks in quotes are in its cells. */
const lineBreaksIn = (cells: string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0);

function refusal(error: CsvError & { lines?: number; record?: unknown }): StatementError {
  const where = `line ${error.lines ?? 1}`;
  if (error.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH')
    return new StatementError(
      where,
      `row has ${Array.isArray(error.record) ? error.record.length : 'not as many'} cells, unlike the first one`,
    );
  if (error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE')
    return new StatementError(where, 'row has a quote that is never closed');
  return new StatementError(where, `row is no CSV: ${error.message}`);
}

/** The file's delimiter: the mapping's, or the most frequent candidate in the first row. */
async function delimited(text: AsyncIterable<string>, mapping: Pick<CsvMapping, 'delimiter'>, skipped: number) {
  if (mapping.delimiter !== undefined) return { delimiter: mapping.delimiter, whole: text };
  const iterator = text[Symbol.asyncIterator]();
  let head = '';
  let first = '';
  while (first === '' && head.length < maxRow) {
    const next = await iterator.next();
    head += next.done ? '\n' : next.value;
    const lines = head.split('\n').slice(skipped, -1);
    first = lines.find((line) => line.trim() !== '')?.replaceAll(/"[^"]*"/g, '') ?? '';
    if (next.done) break;
  }
  const [delimiter = ','] = [';', ',', '\t', '|'].toSorted((a, b) => first.split(b).length - first.split(a).length);
  async function* whole(): AsyncGenerator<string> {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { delimiter, whole: whole() };
}
