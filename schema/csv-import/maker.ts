import type { NewRow, Rows } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { minorDigits, type Decimal } from '../money/money.ts';
import type { Errors } from './errors.ts';
import type { Kind } from './kinds.ts';
import type { CsvRow } from './read-file.ts';
import type { Values } from './read-row.ts';
import type { ImportedRecord, ReadRow } from './records.ts';

/** Makes the rows of a record; undefined where it has errors. */
export type Make = (record: ImportedRecord, first: ReadRow) => Rows | undefined;

/** Looks up what the records of a file refer to, once for all of them. */
export type Maker = (context: Context, rows: CsvRow[], errors: Errors) => Promise<Make>;

/** The values that are fields of the model: they have been read as such. */
export function fieldsOf<Of extends Kind['model']>(values: Values, own: string[]): NewRow<Of> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !own.includes(name))) as unknown as NewRow<Of>;
}

/** The currency of a record; by default, the tenant's. */
export const currencyOf = ({ tenant }: Context, { currency }: Values): string =>
  typeof currency === 'string' ? currency : tenant.defaultCurrency;

/** Whether an amount has no more decimals than its currency. */
export function checkDecimals(row: CsvRow, field: string, amount: Decimal, currency: string, errors: Errors): boolean {
  const digits = minorDigits(currency);
  if (amount.decimalPlaces() <= digits) return true;
  errors.add(row, field, `Must not have more than ${digits} decimals in this currency.`);
  return false;
}
