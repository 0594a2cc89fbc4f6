import type { Context } from '../graphql/context.ts';
import { minorDigits, type Decimal } from '../money/money.ts';
import type { Errors } from './errors.ts';
import type { CsvRow } from './read-file.ts';
import type { Values } from './read-row.ts';

/** The currency of a record; by default, the tenant's. */
export const findCurrency = ({ tenant }: Context, { currency }: Values): string =>
  typeof currency === 'string' ? currency : tenant.defaultCurrency;

/** Whether an amount has no more decimals than its currency. */
export function checkDecimals(row: CsvRow, field: string, amount: Decimal, currency: string, errors: Errors): boolean {
  const digits = minorDigits(currency);
  if (amount.decimalPlaces() <= digits) return true;
  errors.add(row, field, 'too_many_decimals', `Must not have more than ${digits} decimals in this currency.`, {
    max: digits,
  });
  return false;
}
