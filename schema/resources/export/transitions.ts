import type { Row } from '../../../prisma/client.ts';
import { emit } from '../../events/events.ts';
import { key, type Context } from '../../graphql/context.ts';
import { maxKept } from './kinds.ts';

export type ExportRow = Row<'Export'>;

export const hasEnded = ({ finishedAt }: Pick<ExportRow, 'finishedAt'>): boolean => finishedAt !== null;

/** The fields that a completed export has. */
export type ExportFile = Pick<ExportRow, 'fileName' | 'length' | 'sha256' | 'expiresAt'>;

/** How an export ends. Under its lock. */
export async function finish(
  inside: Context,
  { id }: Pick<ExportRow, 'id'>,
  end: { status: 'CANCELLED' } | { status: 'FAILED'; error: string } | ({ status: 'COMPLETED' } & ExportFile),
): Promise<void> {
  await inside.db.export.update({ where: key(inside, id), data: { ...end, slot: null, finishedAt: inside.now() } });
  await emit(inside, 'export.finished', id);
}

/** The tenant's export whose turn it is: the oldest that has not ended. */
export const findNext = (context: Context): Promise<ExportRow | null> =>
  context.db.export.findFirst({ where: { finishedAt: null }, orderBy: { id: 'asc' } });

/**
 * Begins an export, or begins one again whose worker was killed.
 * @returns false if it was cancelled meanwhile
 */
export const begin = (context: Context, id: string): Promise<boolean> =>
  changeUnfinished(context, id, (inside, { startedAt }) =>
    updateRow(inside, id, { status: 'RUNNING', startedAt: startedAt ?? inside.now(), processedRows: 0 }),
  );

/** Records how far an export is. @returns false if it was cancelled meanwhile */
export const recordProgress = (
  context: Context,
  id: string,
  progress: Partial<Pick<ExportRow, 'rows' | 'processedRows'>>,
): Promise<boolean> => changeUnfinished(context, id, (inside) => updateRow(inside, id, progress));

/** Ends an export with its file. Older ones expire where there is no room for it. @returns false if it was cancelled meanwhile */
export const complete = (context: Context, id: string, processedRows: number, file: ExportFile): Promise<boolean> =>
  changeUnfinished(context, id, async (inside, row) => {
    await updateRow(inside, id, { processedRows, rows: processedRows });
    await finish(inside, row, { status: 'COMPLETED', ...file });
    await expireOldest(inside);
  });

/** Keeps the newest files of a tenant, as far as there is room. */
async function expireOldest({ db, now }: Context): Promise<void> {
  const kept = await db.export.findMany({
    where: { expiresAt: { gt: now() } },
    orderBy: [{ finishedAt: 'desc' }, { id: 'desc' }],
    select: { id: true, length: true },
  });
  let bytes = 0;
  const tooOld = kept
    .filter(({ length }, at) => (bytes += length ?? 0) > maxKept.bytes || at >= maxKept.files)
    .map(({ id }) => id);
  if (tooOld.length > 0) await db.export.updateMany({ where: { id: { in: tooOld } }, data: { expiresAt: now() } });
}

/** Ends an export that can't be written. @param error why, as a sentence */
export const fail = (context: Context, id: string, error: string): Promise<boolean> =>
  changeUnfinished(context, id, (inside, row) => finish(inside, row, { status: 'FAILED', error }));

const updateRow = async (inside: Context, id: string, data: Partial<ExportRow>): Promise<void> =>
  void (await inside.db.export.update({ where: key(inside, id), data }));

/** @returns false, and changes nothing, if the export has ended or is gone */
const changeUnfinished = (
  context: Context,
  id: string,
  change: (inside: Context, row: ExportRow) => Promise<void>,
): Promise<boolean> =>
  context.transaction(async (inside) => {
    const row = await inside.db.lock('Export', id, 'no key update');
    if (!row || hasEnded(row)) return false;
    await change(inside, row);
    return true;
  });
