import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rows } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { continueAfter } from '../resources/invoice/next-number.ts';
import type { Errors } from './errors.ts';
import { numbersThere } from './existing-records.ts';
import { makeCustomers } from './kinds/customers.ts';
import { makeInvoices } from './kinds/invoices.ts';
import { makeProjects } from './kinds/projects.ts';
import { makeReceipts } from './kinds/receipts.ts';
import { makeTimeEntries } from './kinds/time-entries.ts';
import type { Kind } from './kinds.ts';
import type { Maker } from './maker.ts';
import { maxErrors, type CsvRow } from './read-file.ts';
import { rowsAtOnce, type ImportedRecord } from './records.ts';

const makers: { [Model in Kind['model']]: Maker } = {
  Customer: makeCustomers,
  Project: makeProjects,
  Invoice: makeInvoices,
  Receipt: makeReceipts,
  TimeEntry: makeTimeEntries,
};

/** The rows of records, valid by themselves, that aren't written yet. */
export interface Made {
  rows: Rows[];
  /** Numbers of invoices that were issued elsewhere. */
  numbers: string[];
}

/** Makes the rows of new records. What is wrong is added to `errors`. */
export async function makeRows(
  context: Context,
  kind: Kind,
  records: ImportedRecord[],
  rows: CsvRow[],
  errors: Errors,
): Promise<Made> {
  const make = await makers[kind.model](context, rows, errors);
  const made: Made = { rows: [], numbers: [] };
  const numberLines = new Map<string, number>();
  for (const [at, record] of records.entries()) {
    if (at % rowsAtOnce === 0) await nextTurn();
    const [first] = record.rows;
    if (!first || errors.all.length === maxErrors) break;
    const one = make(record, first);
    if (one) made.rows.push(one);
    const { number } = first.values;
    if (kind.model !== 'Invoice' || typeof number !== 'string') continue;
    const line = numberLines.get(number);
    if (line !== undefined) errors.add(first.row, 'number', `The invoice of line ${line} has the same.`);
    numberLines.set(number, first.row.line);
    made.numbers.push(number);
  }
  if (made.numbers.length > 0) {
    // The sequences are locked first, so that nobody gives a number out meanwhile.
    await continueAfter(context, made.numbers);
    const firstRows = new Map(records.map(({ rows: [first] }) => [first?.values['number'], first?.row]));
    for (const number of await numbersThere(context, made.numbers)) {
      const row = firstRows.get(number);
      if (row) errors.add(row, 'number', 'Another invoice has this number.');
    }
  }
  return made;
}
