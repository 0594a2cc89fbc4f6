import { delegateName } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import type { Kind } from './kinds.ts';
import type { ImportedRecord } from './records.ts';

/** Records are looked up so many at a time. */
const lookupSize = 500;

/** The external ids of records that were imported before. */
export async function externalIdsThere(
  { db }: Context,
  { model }: Kind,
  records: ImportedRecord[],
): Promise<Set<string>> {
  const delegate: { findMany(query: object): Promise<{ externalId: string | null }[]> } = db[delegateName(model)];
  const there = new Set<string>();
  for (let start = 0; start < records.length; start += lookupSize) {
    const externalId = { in: records.slice(start, start + lookupSize).map((record) => record.externalId) };
    for (const row of await delegate.findMany({ where: { externalId }, select: { id: true, externalId: true } }))
      if (row.externalId !== null) there.add(row.externalId);
  }
  return there;
}

/** The numbers that invoices have already. */
export async function numbersThere({ db }: Context, numbers: string[]): Promise<string[]> {
  const there: string[] = [];
  for (let start = 0; start < numbers.length; start += lookupSize) {
    const number = { in: numbers.slice(start, start + lookupSize) };
    const found = await db.invoice.findMany({ where: { number }, select: { id: true, number: true } });
    there.push(...found.flatMap((row) => row.number ?? []));
  }
  return there;
}
