import { createReadStream } from 'node:fs';
import { rowsOf, type CsvColumn } from '../bank-import/parsers/csv.ts';
import { decode, markedEncoding } from '../bank-import/parsers/encoding.ts';
import { StatementError } from '../bank-import/parsers/transaction.ts';

/** How a CSV file is written. */
export interface CsvFormat {
  /** By default detected from the first row. */
  delimiter?: string;
  /** By default UTF-8, or Windows-1252. */
  encoding?: string;
  /** Lines before the row with the columns' names. */
  skipLines?: number;
  dateFormat: string;
  decimalSeparator: ',' | '.';
}

/** What is wrong with a file: in which line, counted from 1, and in which column, if it is about one. */
export interface RecordError {
  line: number | null;
  column: string | null;
  message: string;
}

/** No error beyond these is reported. */
export const maxErrors = 100;

/** A file's most rows: all are in memory, and in one transaction of a few seconds. */
export const maxRows = 10_000;

/** A row of a file. */
export interface CsvRow {
  line: number;
  /** The text of each field that isn't empty. */
  cells: ReadonlyMap<string, string>;
}

/** The file can't be read. */
export class FileError extends Error {
  readonly at: RecordError;

  constructor(at: RecordError) {
    super(at.message);
    this.at = at;
  }
}

/**
 * Reads the rows of a file, which begins with the columns' names.
 * @param columns the column of each field
 * @param defaults the text of fields whose cell is empty, or that have no column
 * @throws FileError
 */
export async function readRows(
  file: string,
  { skipLines = 0, delimiter, encoding }: CsvFormat,
  columns: ReadonlyMap<string, CsvColumn>,
  defaults: ReadonlyMap<string, string>,
): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  let indexes: Map<string, number> | undefined;
  try {
    const text = decode(createReadStream(file), encoding ?? (await encodingOf(file)));
    for await (const { line, cells } of rowsOf(text, { skipLines, ...(delimiter !== undefined && { delimiter }) })) {
      if (!indexes) {
        indexes = indexesOf(columns, cells, line);
        continue;
      }
      if (rows.length === maxRows)
        throw new FileError({ line, column: null, message: `A file has at most ${maxRows} rows. Split it.` });
      const values = new Map(defaults);
      for (const [field, index] of indexes) {
        const value = cells[index]?.trim();
        if (value) values.set(field, value);
      }
      rows.push({ line, cells: values });
    }
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    const line = /^line (\d+)/.exec(error.where ?? '')?.[1];
    throw new FileError({
      line: line === undefined ? null : Number(line),
      column: null,
      message: `This ${error.reason}.`,
    });
  }
  if (!indexes)
    throw new FileError({ line: null, column: null, message: 'The file has no row with names of columns.' });
  return rows;
}

async function encodingOf(file: string): Promise<string | undefined> {
  for await (const head of createReadStream(file, { end: 3 }) as AsyncIterable<Buffer>) return markedEncoding(head);
  return undefined;
}

function indexesOf(columns: ReadonlyMap<string, CsvColumn>, cells: string[], line: number): Map<string, number> {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  return new Map(
    [...columns].map(([field, column]) => {
      const index = typeof column === 'number' ? column - 1 : names.indexOf(column.trim().toLowerCase());
      if (index < 0 || index >= cells.length)
        throw new FileError({ line, column: String(column), message: 'The file has no such column.' });
      return [field, index];
    }),
  );
}
