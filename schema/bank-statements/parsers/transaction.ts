import { parseDay } from '../../graphql/scalars/days.ts';
import { Decimal, fits, maxDigits } from '../../money/decimal.ts';

/** A booked transaction. Text is as the bank sent it, trimmed; missing and empty text is null. */
export interface StatementTransaction {
  /** As sent, even if it is no IBAN. */
  accountIban: string;
  /** The day the bank wrote, as midnight UTC. */
  bookingDate: Date;
  valueDate: Date | null;
  /** Positive for money received, negative for money sent. */
  amount: Decimal;
  /** As sent, even if the currency no longer exists. */
  currency: string;
  /** The bank's own reference of the entry; never NONREF or NOTPROVIDED. */
  externalId: string | null;
  counterpartyName: string | null;
  counterpartyIban: string | null;
  /** All text in which a payer may have written an invoice number or a structured reference: see joinReference(). */
  reference: string | null;
}

/**
 * Receives a warning about a file that can be read: one sentence with the position. The sentence is built only if it is
 * kept: see warnings.ts.
 */
export type Warn = (sentence: () => string) => void;

/** The file can't be read. The message is one sentence with the position and the reason. */
export class StatementError extends Error {
  /** "line 12", "line 90, statement 2, entry 3"; null for an error of the whole file. */
  readonly where: string | null;
  readonly reason: string;

  constructor(where: string | null, reason: string) {
    super(`${where === null ? 'This file' : `${capital(where)}: this`} ${reason}.`);
    this.where = where;
    this.reason = reason;
  }
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A value for a message: short, and on one line. */
export const quote = (value: string): string => JSON.stringify(short(value));

/** The beginning of a value. */
export const short = (value: string): string => {
  const characters = Array.from(value.slice(0, 80)); // twice as many code units at most
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('');
};

/** The trimmed text; null if it is empty. */
export const trimText = (value: string | undefined): string | null => value?.trim() || null;

const none = /^(?:NON[ -]?REF(?:ERENCE)?|NOT[ -]?PROVIDED)$/i;

/** A reference; null for one that only means "none", such as NOTPROVIDED. */
export function parseId(value: string | undefined): string | null {
  const id = trimText(value);
  return id !== null && none.test(id) ? null : id;
}

/**
 * The text that is searched for invoice numbers and structured references: first the structured references, then the text,
 * then the payer's own id of the payment. (Many payers write the invoice number into it, and a direct debit has nothing
 * else.) The parts are joined by spaces, without repetitions.
 */
export function joinReference(structured: (string | null)[], text: string | null, id: string | null): string | null {
  let reference = [...new Set(structured)].filter((part) => part !== null).join(' ');
  for (const part of [text, id]) if (part !== null && !reference.includes(part)) reference += ` ${part}`;
  return trimText(reference);
}

/** Parses a day, YYYY-MM-DD. @throws StatementError where it is none */
export function requireDay(text: string, where: string, sent = text): Date {
  const day = parseDay(text);
  if (!day) throw new StatementError(where, `date is no calendar day: ${quote(sent)}`);
  return day;
}

/** Refuses text that can't be stored unchanged. */
export function checked(transaction: StatementTransaction, where: string): StatementTransaction {
  const { amount } = transaction;
  if (!fits(amount) || amount.decimalPlaces() > 5)
    throw new StatementError(
      where,
      `amount has more than ${maxDigits} digits, or more than 5 decimals: ${quote(amount.toFixed())}`,
    );
  if (transaction.currency === '') throw new StatementError(where, 'entry has no currency');
  if (transaction.accountIban === '') throw new StatementError(where, 'entry has no account');
  for (const [field, most] of longest) {
    const text = transaction[field];
    if (text === null) continue;
    if (text.length > most) throw new StatementError(where, `entry has more than ${most} characters in ${quote(text)}`);
    if (text.includes('\0') || !text.isWellFormed())
      throw new StatementError(where, `entry has a NUL character or half a character in ${quote(text)}`);
  }
  return transaction;
}

/** The limit of characters that are kept of one entry, or of one set of its details. Banks send a few hundred. */
export const maxText = 200_000;

/** The limit of characters of a field. The account is an index key, for which PostgreSQL has 2,700 bytes. */
const longest = [
  ['accountIban', 255],
  ['currency', 255],
  ['externalId', 1000],
  ['counterpartyName', 1000],
  ['counterpartyIban', 255],
  ['reference', maxText],
] as const;

export interface Balance {
  amount: Decimal;
  currency: string;
  /** The day of a balance; null if the bank sent none that exists. */
  day?: Date | null;
}

/** Warns unless opening + entries = closing. Amounts are signed; `entries` are by currency. */
export function checkBalance(
  where: string,
  opening: Balance,
  entries: Map<string, Decimal>,
  closing: Balance,
  warn: Warn,
): void {
  if (opening.currency !== closing.currency) {
    const currencies = [opening.currency, closing.currency].map(short);
    warn(() => `${capital(where)} opens in ${currencies[0]} and closes in ${currencies[1]}.`);
    return;
  }
  const sum = entries.get(opening.currency) ?? new Decimal(0);
  if (opening.amount.plus(sum).equals(closing.amount)) return;
  warn(
    () =>
      `${capital(where)} doesn't add up: ${opening.amount.toFixed()} and entries of ${sum.toFixed()} ` +
      `don't make ${closing.amount.toFixed()} ${closing.currency}.`,
  );
}

/** More currencies than exist: a file with more is not a statement. */
const maxCurrencies = 300;

/** Adds `amount` to the sum of its currency. */
export function addTo(sums: Map<string, Decimal>, { amount, currency }: Balance, where: string): void {
  const sum = sums.get(currency);
  if (sum === undefined && sums.size === maxCurrencies)
    throw new StatementError(where, `statement has entries in more than ${maxCurrencies} currencies`);
  sums.set(currency, amount.plus(sum ?? 0));
}
