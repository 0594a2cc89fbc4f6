import { Decimal } from '../../money/decimal.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import { parseInformation } from './mt940-information.ts';
import { StatementError, requireDay, parseId, quote, type StatementTransaction } from './transaction.ts';

// Value date, entry date, mark (RC and RD undo a credit, a debit), funds code, amount, type, references.
const entry = /^(\d{6})(\d{4})?(RC|RD|C|D)([A-Z])?(\d{1,15}(?:[.,]\d*)?)(?:[A-Z][A-Z0-9]{3}(.*))?$/s;

/** One :61: with its :86:. */
export function readEntry(
  lines: string[],
  information: string[],
  accountIban: string,
  currency: string,
  where: string,
): StatementTransaction {
  const [content = '', ...supplementary] = lines;
  const [, value, booked, mark, , amount = '', references = ''] = entry.exec(content.trimEnd()) ?? [];
  if (value === undefined) throw new StatementError(where, `entry can't be read: ${quote(content)}`);
  const valueDate = requireDay(parseYearDay(value), where, value);
  const [own = '', bank] = references.split(/\/\/(.*)/s);
  return {
    accountIban,
    bookingDate: booked === undefined ? valueDate : entryDay(booked, valueDate, where),
    valueDate,
    amount: parseAmount(amount, mark === 'D' || mark === 'RC'),
    currency,
    externalId: parseId(bank),
    ...parseInformation(information, own, supplementary),
  };
}

/** YYYY-MM-DD of a day YYMMDD, which may not exist. */
export function parseYearDay(day: string): string {
  const year = Number(day.slice(0, 2));
  return `${year + (year < 80 ? 2000 : 1900)}-${day.slice(2, 4)}-${day.slice(4, 6)}`;
}

/** An entry date has no year. It gets the year that brings it nearest to the value date. */
function entryDay(monthAndDay: string, valueDate: Date, where: string): Date {
  const year = Number(formatDay(valueDate).slice(0, 4));
  const [month, day] = [monthAndDay.slice(0, 2), monthAndDay.slice(2)];
  const distance = (one: Date): number => Math.abs(one.getTime() - valueDate.getTime());
  const days = [year - 1, year, year + 1].flatMap((one) => {
    const date = new Date(`${one}-${month}-${day}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && formatDay(date).slice(5) === `${month}-${day}` ? [date] : [];
  });
  const [nearest] = days.toSorted((a, b) => distance(a) - distance(b));
  if (!nearest) throw new StatementError(where, `entry date is no calendar day: ${quote(monthAndDay)}`);
  return nearest;
}

/** An amount with a decimal comma, `12,5` or `12,`. */
export function parseAmount(text: string, isDebit: boolean): Decimal {
  const amount = new Decimal(text.replace(',', '.').replace(/\.$/, ''));
  return isDebit && !amount.isZero() ? amount.negated() : amount;
}
