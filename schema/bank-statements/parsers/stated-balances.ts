import { fits, type Decimal } from '../../money/decimal.ts';
import { StatementError, trimText, type Balance } from './transaction.ts';

/** A statement's data on its account as a whole: the period, and the balances. */
export interface StatedBalances {
  accountIban: string;
  currency: string;
  /** The bank's number of the statement. */
  number: string | null;
  fromDate: Date;
  toDate: Date;
  openingBalance: Decimal;
  closingBalance: Decimal;
}

/** Receives the balances of each statement, at its end. */
export type OnBalances = (balances: StatedBalances) => void;

/** The limit of statements in a file: daily ones of 25 accounts for five years. */
export const maxStatements = 50_000;

/** A receiver that refuses a file of too many statements, because all are kept until the file's end. */
export function limited(receive: OnBalances): OnBalances {
  let count = 0;
  return (balances) => {
    count += 1;
    if (count > maxStatements) throw new StatementError(null, `has more than ${maxStatements} statements`);
    receive(balances);
  };
}

/** The first and the last booking day of a statement's entries. */
export class BookingDays {
  first: Date | undefined;
  last: Date | undefined;

  add(day: Date): void {
    if (!this.first || day < this.first) this.first = day;
    if (!this.last || day > this.last) this.last = day;
  }
}

interface Statement {
  accountIban: string | null;
  number: string | null;
  opening: Balance;
  closing: Balance;
  /** The first day that the statement names. */
  from?: Date | null;
  /** The day of the closing balance. */
  to?: Date | null;
  days: BookingDays;
}

const longestNumber = 35;
const longestText = 255;

const isText = (text: string): boolean => text.length <= longestText && !text.includes('\0') && text.isWellFormed();
const canBeStored = ({ amount }: Balance): boolean => fits(amount) && amount.decimalPlaces() <= 5;

/**
 * A statement's balances. Null where they can't be compared with others: they have two currencies, say, or no day. No transaction
 * depends on them.
 */
export function stateBalances({
  accountIban,
  number,
  opening,
  closing,
  from,
  to,
  days,
}: Statement): StatedBalances | null {
  const { currency } = closing;
  const toDate = latest(to, days.last);
  if (!toDate || opening.currency !== currency || currency === '' || !isText(currency)) return null;
  if (!accountIban || !isText(accountIban) || !canBeStored(opening) || !canBeStored(closing)) return null;
  const own = trimText(number ?? undefined);
  return {
    accountIban,
    currency,
    number: own !== null && own.length <= longestNumber && isText(own) ? own : null,
    fromDate: earliest(from, days.first, toDate) ?? toDate,
    toDate,
    openingBalance: opening.amount,
    closingBalance: closing.amount,
  };
}

const sorted = (days: (Date | null | undefined)[]): Date[] =>
  days.filter((day) => day != null).toSorted((a, b) => a.getTime() - b.getTime());
const earliest = (...days: (Date | null | undefined)[]): Date | undefined => sorted(days)[0];
const latest = (...days: (Date | null | undefined)[]): Date | undefined => sorted(days).at(-1);
