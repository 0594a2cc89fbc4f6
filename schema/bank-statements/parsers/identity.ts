import { createHash } from 'node:crypto';
import { formatDay } from '../../graphql/scalars/days.ts';
import type { StatementTransaction } from './transaction.ts';

// Spaces and composed letters are normalized: they vary between a bank's exports of one day.
const plain = (text: string | null): string | null => text && text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

const account = (iban: string): string => iban.replaceAll(/\s/g, '').toUpperCase();

/**
 * The identity of a transaction (DECISIONS.md#d50-identity-of-a-transaction): a SHA-256, in hex, of account, dates, amount,
 * currency, references and text. The bank's reference alone would not do, because banks use one for several entries.
 * Amounts are compared as numbers: 10 is 10.00. Two payments can be equal; withOccurrence() distinguishes them.
 */
export function computeIdentity(transaction: StatementTransaction): string {
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
 * Identities for the transactions of one file. The function is called once per transaction, in any order. Equal
 * transactions of a day are numbered, and the number is part of the identity. Therefore
 * - the same file has the same identities again,
 * - overlapping files that are both complete for a day have the same identities for this day,
 * - a file with more equal transactions than before adds only the new ones: an export at noon, and another at night.
 * One case can't be detected: equal transactions without a bank's reference, of which one file has only the first and
 * another file only the second. They count as one. Memory: 32 bytes and a count per different transaction.
 */
export function withOccurrence(): (transaction: StatementTransaction) => string {
  const seen = new Map<string, number>();
  return (transaction) => {
    const identity = computeIdentity(transaction);
    const key = Buffer.from(identity, 'hex').toString('latin1');
    const occurrence = (seen.get(key) ?? 0) + 1;
    seen.set(key, occurrence);
    return sha256(`${identity}:${occurrence}`);
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
