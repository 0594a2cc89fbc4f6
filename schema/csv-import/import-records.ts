import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { isTaken, type Rows } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { refuse } from '../errors.ts';
import { Errors } from './errors.ts';
import { findExistingExternalIds } from './existing-records.ts';
import type { Kind } from './kind.ts';
import { Progress } from './progress.ts';
import { buildPreview, type PreviewRow } from './preview.ts';
import {
  FileError,
  maxErrors,
  readRows,
  type CsvFormat,
  type CsvRow,
  type FileMapping,
  type FileRows,
  type RecordError,
} from './read-file.ts';
import { readRecords, rowsAtOnce, type ImportedRecord } from './records.ts';

/** A file of the most rows takes seconds. */
const importLimits = { timeout: 5 * 60 * 1000 };

/** The records that one statement writes. */
const batchRecords = 500;

export interface RecordImport {
  /** Records that were new; in a dry run, that would be. */
  imported: number;
  /** Records that were imported before. */
  skipped: number;
  /** Rows of the file that a preset leaves out. */
  leftOut: number;
  errors: RecordError[];
  /** The first rows, as they were read. */
  preview: PreviewRow[];
}

export interface ImportedFile {
  path: string;
  format: CsvFormat;
  mapping: FileMapping;
}

/**
 * Imports records of another system, all of them or none (DECISIONS.md#d81-imports). A record that was imported before is
 * skipped, whatever the file says of it. No event is recorded.
 */
export async function importRecords(
  context: Context,
  schema: GraphQLSchema,
  kind: Kind,
  file: ImportedFile,
  { dryRun, progressId }: { dryRun: boolean; progressId: string | null },
): Promise<RecordImport> {
  const errors = new Errors(file.mapping.columns);
  let records: ImportedRecord[];
  let read: FileRows;
  let progress: Progress;
  try {
    read = await readRows(file.path, file.format, file.mapping);
    progress = new Progress(context, progressId, read.rows.length);
    records = await readRecords(schema, kind, file.format, read.rows, errors, progress);
  } catch (error) {
    if (error instanceof FileError) return { imported: 0, skipped: 0, leftOut: 0, errors: [error.at], preview: [] };
    throw error;
  }
  const { rows, leftOut } = read;
  const about = { leftOut, preview: buildPreview(kind, records) };
  try {
    return await context.transaction(async (inside) => {
      if (!(await inside.db.tryAdvisoryLock('record import')))
        refuse('file', 'busy', 'Another import of this tenant is under way. Try again when it has ended.');
      await inside.db.planForAnyTenant();
      await inside.db.actAsImport();
      const existing = await findExistingExternalIds(inside, kind, records);
      const added = records.filter(({ externalId }) => !existing.has(externalId));
      const built = await buildRows(inside, kind, added, rows, errors);
      if (errors.all.length > 0) throw new RolledBack({ imported: 0, skipped: 0, errors: errors.all, ...about });
      progress.add(rows.length - countRows(added));
      await write(inside, kind, built, (start, end) => progress.add(countRows(added.slice(start, end))));
      const result = { imported: added.length, skipped: records.length - added.length, errors: [], ...about };
      if (dryRun) throw new RolledBack(result);
      return result;
    }, importLimits);
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    if (isTaken(error, 'external_id'))
      refuse('file', 'busy', 'Another request has just written a record with one of these ids. Try again.');
    throw error;
  }
}

/** Ends the transaction without its writes. */
class RolledBack extends Error {
  readonly result: RecordImport;

  constructor(result: RecordImport) {
    super('Rolled back');
    this.result = result;
  }
}

const countRows = (records: ImportedRecord[]): number => records.reduce((sum, { rows }) => sum + rows.length, 0);

/** Builds the rows of new records. Problems are added to `errors`. */
async function buildRows(
  context: Context,
  kind: Kind,
  records: ImportedRecord[],
  rows: CsvRow[],
  errors: Errors,
): Promise<Rows[]> {
  const build = await kind.prepare(context, rows, errors);
  const built: Rows[] = [];
  for (const [at, record] of records.entries()) {
    if (at % rowsAtOnce === 0) await nextTurn();
    const [first] = record.rows;
    if (!first || errors.all.length === maxErrors) break;
    const one = build(record, first);
    if (one) built.push(one);
  }
  await kind.checkAll?.(context, records, errors);
  return built;
}

/** @param onWritten is told which records are written */
async function write(
  context: Context,
  { model }: Kind,
  rows: Rows[],
  onWritten: (start: number, end: number) => void,
): Promise<void> {
  for (let start = 0; start < rows.length; start += batchRecords) {
    const batch = rows.slice(start, start + batchRecords);
    const of = <Name extends keyof Rows>(name: Name): NonNullable<Rows[Name]> =>
      batch.flatMap((each) => (each[name] ?? []) as never[]) as NonNullable<Rows[Name]>;
    await context.insert({ [model]: of(model), InvoiceItem: of('InvoiceItem'), Payment: of('Payment') });
    onWritten(start, start + batchRecords);
  }
}
