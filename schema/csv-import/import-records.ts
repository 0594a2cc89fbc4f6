import type { GraphQLSchema } from 'graphql';
import { isTaken } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { requireTestRoom } from '../graphql/test-tenant-bounds.ts';
import { refuse } from '../errors/errors.ts';
import { runUnits } from '../rows/run-units.ts';
import { Errors, RefusedRecord } from './errors.ts';
import { findExistingExternalIds } from './existing-records.ts';
import type { Kind, RowBuilder } from './kind.ts';
import { Progress } from './progress.ts';
import { buildPreview, type PreviewRow } from './preview.ts';
import { FileError, readRows, type CsvFormat, type FileMapping, type FileRows, type RecordError } from './read-file.ts';
import { readRecords, type ImportedRecord } from './records.ts';

/** A file of the most rows takes seconds. */
const importLimits = { timeout: 5 * 60 * 1000, savepoints: true } as const;

/** The records that are tried together. */
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
    const result = await context.transaction(async (inside) => {
      if (!(await inside.db.tryAdvisoryLock('record import')))
        refuse('file', 'busy', 'Another import of this tenant is under way. Try again when it has ended.');
      await inside.db.planForAnyTenant();
      await inside.db.actAsImport();
      const existing = await findExistingExternalIds(inside, kind, records);
      const added = records.filter(({ externalId }) => !existing.has(externalId));
      await requireTestRoom(inside, added.length);
      progress.add(rows.length - countRows(added));
      const build = await kind.prepare(inside, rows, added);
      for (let start = 0; start < added.length && !errors.isFull; start += batchRecords) {
        const batch = added.slice(start, start + batchRecords);
        await importBatch(inside, batch, build, errors);
        progress.add(countRows(batch));
      }
      if (errors.all.length > 0) throw new RolledBack({ imported: 0, skipped: 0, errors: errors.all, ...about });
      const written = { imported: added.length, skipped: records.length - added.length, errors: [], ...about };
      if (dryRun) throw new RolledBack(written);
      return written;
    }, importLimits);
    context.announceRows([kind.model], result.imported);
    return result;
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

/** Imports new records. Errors of those that are refused are added to `errors`. */
async function importBatch(
  inside: Context,
  records: readonly ImportedRecord[],
  build: RowBuilder,
  errors: Errors,
): Promise<void> {
  const isImported = errors.all.length === 0; // else only errors are looked for
  const outcomes = await runUnits(records, inside, async (record, context) => {
    const [first] = record.rows;
    const own = errors.ofRecord();
    const rows = first && build(context, record, first, own);
    own.throwIfAny();
    if (rows && isImported) await context.insert(rows);
  });
  for (const outcome of outcomes) {
    if ('result' in outcome) continue;
    if (!(outcome.error instanceof RefusedRecord)) throw outcome.error;
    errors.addRefused(outcome.error);
  }
}
