import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { StatementError } from '../bank-statements/parsers/transaction.ts';
import { Problems } from '../errors/errors.ts';
import type { Errors } from './errors.ts';
import type { Kind } from './kind.ts';
import type { Progress } from './progress.ts';
import { FileError, toError, type CsvFormat, type CsvRow } from './read-file.ts';
import { createRowReader, type Values } from './read-row.ts';

/** The event loop serves others after so many milliseconds: rows may be of any length. */
const turnMs = 10;

/** A row of a file, with the values of its cells. */
export interface ReadRow {
  row: CsvRow;
  values: Values;
}

/** A record of a file: its rows, which are several for an invoice with several lines. */
export interface ImportedRecord {
  externalId: string;
  rows: ReadRow[];
}

/** Reads the values of rows, and gathers the rows of each record. */
export async function readRecords(
  schema: GraphQLSchema,
  kind: Kind,
  format: CsvFormat,
  rows: CsvRow[],
  errors: Errors,
  progress: Progress,
): Promise<ImportedRecord[]> {
  let read;
  try {
    read = createRowReader(schema, kind, format);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    throw new FileError(toError(null, null, ['invalid_format', error.message]));
  }
  const records = new Map<string, ImportedRecord>();
  let turnEnds = performance.now();
  for (const row of rows) {
    if (performance.now() >= turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + turnMs;
    }
    progress.add(1);
    const problems = new Problems();
    const values = read(row, problems);
    errors.addAll(row, problems.byField);
    const { externalId } = values;
    if (typeof externalId !== 'string') continue;
    const record = records.get(externalId);
    if (!record) records.set(externalId, { externalId, rows: [{ row, values }] });
    else if (kind.itemInput !== undefined) record.rows.push({ row, values });
    else errors.add(row, 'externalId', 'duplicate', `Line ${record.rows[0]?.row.line} has the same.`);
  }
  return [...records.values()];
}
