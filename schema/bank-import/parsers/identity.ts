import { createHash } from 'node:crypto';
import { formatDay } from '../../scalars/days.ts';
import type { StatementTransaction } from './transaction.ts';

// Blanks and composed letters are the same to a reader, and vary between a bank's exports of one day.
const plain = (text: string | null): string | null => text && text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

const account = (iban: string): string => iban.replaceAll(/\s/g, '').toUpperCase();

/**
 * What makes a transaction the one it is (DECISIONS.md#d50-identity-of-a-transaction): account, dates, amount,
 * currency, references and text, as a SHA-256 in hex. The bank's reference is a part of it, not the whole: banks use
 * one for several entries. 10 is 10.00. Two payments may truly be equal: withOccurrence tells them apart.
 */
export function identityOf(transaction: StatementTransaction): string {
  const { amount } = transaction;
  return sha256(
    JSON.stringify([
      account(transaction.accountIban),
      formatDay(transaction.bookingDate),
      transaction.valueDate && formatDay(transaction.valueDate),
      amount.isZero() ? '0' : amount.toFixed(), // no -0; toFixed() writes no trailing zeros
      transaction.currency,
      plain(transaction.externalId),
      plain(transaction.counterpartyName),
      plain(transaction.counterpartyIban),
      plain(transaction.reference),
    ]),
  );
}

/**
 * Identities for the transactions of one file, to be called once per transaction in any order: the first of equals gets
 * one identity, the second another, and so on. As the booking day is part of what must be equal, the occurrence counts
 * within that day. So
 * - the same file again has the same identities,
 * - files that overlap and are both complete for a day have the same number of equals that day, thus the same identities,
 * - a file with more of them than were there adds just those: an export at noon, and one at night.
 * What no file can tell apart: equals without a bank's reference of which one file has only the first and another only
 * the second; they count as one. Keeps 32 bytes and a count per different transaction, 10 to 15 MB for 100,000.
 */
export function withOccurrence(): (transaction: StatementTransaction) => string {
  const seen = new Map<string, number>();
  return (transaction) => {
    const identity = identityOf(transaction);
    const key = Buffer.from(identity, 'hex').toString('latin1');
    const occurrence = (seen.get(key) ?? 0) + 1;
    seen.set(key, occurrence);
    return sha256(`${identity}:${occurrence}`);
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
