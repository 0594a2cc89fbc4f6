import type { Context } from '../../graphql/context.ts';
import { continueAfter } from '../../resources/invoice/next-number.ts';
import type { Errors } from '../errors.ts';
import { lookupSize } from '../existing-records.ts';
import type { ImportedRecord } from '../records.ts';

/** Has the sequences continue after the numbers of imported invoices, which no other invoice may have. */
export async function checkNumbers(context: Context, records: ImportedRecord[], errors: Errors): Promise<void> {
  const firstRows = new Map(
    records.flatMap(({ rows: [first] }) => {
      const number = first?.values['number'];
      return first && typeof number === 'string' ? [[number, first.row]] : [];
    }),
  );
  const numbers = [...firstRows.keys()];
  if (numbers.length === 0) return;
  // The sequences are locked first, so that nobody gives a number out meanwhile.
  await continueAfter(context, numbers);
  for (const number of await findExistingNumbers(context, numbers)) {
    const row = firstRows.get(number);
    if (row) errors.add(row, 'number', 'Another invoice has this number.');
  }
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
