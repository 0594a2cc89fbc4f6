import { createReadStream } from 'node:fs';
import { readCsvRows, type CsvColumn } from '../bank-statements/parsers/csv.ts';
import { decode, markedEncoding } from '../bank-statements/parsers/encoding.ts';
import { readBytes } from '../bank-statements/parsers/file-bytes.ts';
import { StatementError } from '../bank-statements/parsers/transaction.ts';
import type { Problem, ProblemDetail } from '../errors/problem-codes.ts';

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

/** An error in a file, with its line, counted from 1, its column, and the field; null where it concerns no single one. */
export interface RecordError extends Omit<ProblemDetail, 'field'> {
  line: number | null;
  column: string | null;
  field: string | null;
}

/** An error of no field. */
export const toError = (
  line: number | null,
  column: string | null,
  [code, message, params = {}]: Problem,
): RecordError => ({ line, column, field: null, code, message, params });

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

/** The columns that are read from a file, and how their texts are understood. */
export interface FileMapping {
  /** The column of each field. */
  columns: ReadonlyMap<string, CsvColumn>;
  /** The text of fields whose cell is empty, or that have no column. */
  defaults: ReadonlyMap<string, string>;
  /** Fields whose column the file may lack. */
  optional?: ReadonlySet<string>;
  /** Rows that are left out: those with one of these texts, in lower case, in a column that the file may lack. */
  leftOut?: ReadonlyMap<string, readonly string[]>;
  /** By field: texts, in lower case, that are read as others. */
  replacements?: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** The rows of a file. */
export interface FileRows {
  rows: CsvRow[];
  /** The number of rows that were left out. */
  leftOut: number;
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
 * @throws FileError
 */
export async function readRows(
  file: string,
  { skipLines = 0, delimiter, encoding }: CsvFormat,
  mapping: FileMapping,
): Promise<FileRows> {
  const rows: CsvRow[] = [];
  let leftOut = 0;
  let read: ReturnType<typeof cellReader> | undefined;
  try {
    const text = decode(readBytes(file), encoding ?? (await detectEncoding(file)));
    for await (const { line, cells } of readCsvRows(text, {
      skipLines,
      ...(delimiter !== undefined && { delimiter }),
    })) {
      if (!read) {
        read = cellReader(mapping, cells, line);
        continue;
      }
      const values = read(cells);
      if (!values) {
        leftOut += 1;
        continue;
      }
      if (rows.length === maxRows)
        throw new FileError(
          toError(line, null, ['too_many', `A file has at most ${maxRows} rows. Split it.`, { max: maxRows }]),
        );
      rows.push({ line, cells: values });
    }
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    const line = /^line (\d+)/.exec(error.where ?? '')?.[1];
    const problem: Problem = ['invalid_file', `This ${error.reason}.`];
    throw new FileError(toError(line === undefined ? null : Number(line), null, problem));
  }
  if (!read) throw new FileError(toError(null, null, ['invalid_file', 'The file has no row with names of columns.']));
  return { rows, leftOut };
}

async function detectEncoding(file: string): Promise<string | undefined> {
  for await (const head of createReadStream(file, { end: 3 }) as AsyncIterable<Buffer>) return markedEncoding(head);
  return undefined;
}

/** Finds the columns in the first row. @returns a function that reads another row's fields; undefined if that is left out */
function cellReader({ columns, defaults, optional, leftOut, replacements }: FileMapping, head: string[], line: number) {
  const names = head.map(normalizeHeading);
  const indexes = new Map<string, number>();
  for (const [field, column] of columns) {
    const index = typeof column === 'number' ? column - 1 : names.indexOf(normalizeHeading(column));
    if (index >= 0 && index < head.length) indexes.set(field, index);
    else if (!optional?.has(field))
      throw new FileError({
        ...toError(line, String(column), ['not_found', 'The file has no such column.']),
        field,
      });
  }
  const excluded = [...(leftOut ?? [])].map(([column, texts]) => ({
    index: names.indexOf(normalizeHeading(column)),
    texts,
  }));
  return (cells: string[]): Map<string, string> | undefined => {
    if (excluded.some(({ index, texts }) => texts.includes(cells[index]?.trim().toLowerCase() ?? ''))) return undefined;
    const values = new Map(defaults);
    for (const [field, index] of indexes) {
      const value = cells[index]?.trim();
      if (value) values.set(field, replacements?.get(field)?.[value.toLowerCase()] ?? value);
    }
    return values;
  };
}

/** A column's name, as it is compared. Templates of some systems mark required columns: `*ContactName`. */
const normalizeHeading = (name: string): string => name.trim().toLowerCase().replace(/^\*/, '');
