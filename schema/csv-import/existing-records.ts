import type { Context } from '../graphql/context.ts';
import type { Kind } from './kind.ts';
import type { ImportedRecord } from './records.ts';

/** Records are looked up so many at a time. */
export const lookupSize = 500;

/** Finds the external ids of records that were imported before. */
export async function findExistingExternalIds(
  { db }: Context,
  { model }: Kind,
  records: ImportedRecord[],
): Promise<Set<string>> {
  const existing = new Set<string>();
  for (let start = 0; start < records.length; start += lookupSize) {
    const externalId = { in: records.slice(start, start + lookupSize).map((record) => record.externalId) };
    for (const row of await db.model(model).findMany({ where: { externalId }, select: { id: true, externalId: true } }))
      if (row.externalId !== null) existing.add(row.externalId);
  }
  return existing;
}
