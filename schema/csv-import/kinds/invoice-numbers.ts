import type { Context } from '../../graphql/context.ts';
import { continueAfter } from '../../resources/invoice/next-number.ts';
import type { Problem } from '../../errors/errors.ts';
import { lookupSize } from '../existing-records.ts';
import type { ImportedRecord } from '../records.ts';

/**
 * Finds invoices whose number another one has, of the file or here. Has the sequences continue after the numbers of imported
 * invoices.
 */
export async function findNumberProblems(
  context: Context,
  records: readonly ImportedRecord[],
): Promise<Map<ImportedRecord, Problem>> {
  const problems = new Map<ImportedRecord, Problem>();
  const first = new Map<string, ImportedRecord>();
  for (const record of records) {
    const number = record.rows[0]?.values['number'];
    if (typeof number !== 'string') continue;
    const other = first.get(number);
    if (other) problems.set(record, ['duplicate', `The invoice of line ${other.rows[0]?.row.line} has the same.`]);
    else first.set(number, record);
  }
  const numbers = [...first.keys()];
  if (numbers.length === 0) return problems;
  // The sequences are locked first, so that nobody gives a number out meanwhile.
  await continueAfter(context, numbers);
  for (const number of await findExistingNumbers(context, numbers)) {
    const record = first.get(number);
    if (record) problems.set(record, ['taken', 'Another invoice has this number.']);
  }
  return problems;
}

async function findExistingNumbers({ db }: Context, numbers: string[]): Promise<string[]> {
  const existing: string[] = [];
  for (let start = 0; start < numbers.length; start += lookupSize) {
    const number = { in: numbers.slice(start, start + lookupSize) };
    const rows = await db.invoice.findMany({ where: { number }, select: { id: true, number: true } });
    existing.push(...rows.flatMap((row) => row.number ?? []));
  }
  return existing;
}
