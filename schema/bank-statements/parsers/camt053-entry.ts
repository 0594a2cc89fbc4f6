import { Decimal } from '../../money/decimal.ts';
import { findCounterparty, first, isAmount, type Detail, type Fields } from './camt053-details.ts';
import type { DetailStore } from './detail-store.ts';
import {
  StatementError,
  capital,
  checked,
  requireDay,
  parseId,
  quote,
  joinReference,
  short,
  trimText,
  type Balance,
  type StatementTransaction,
  type Warn,
} from './transaction.ts';

/** Entries with PDNG, INFO and FUTR are not booked yet, and come again when they are. Without a status, BOOK is meant. */
export function isBooked(fields: Fields, where: string, warn: Warn): boolean {
  const status = first(fields, 'Sts', 'Sts/Cd');
  const own = first(fields, 'Sts/Prtry');
  if (status === null && own !== null)
    warn(() => `${capital(where)} has a status of the bank's own, ${quote(own)}, and was left out.`);
  return status === 'BOOK' || (status === null && own === null);
}

export interface Entry extends StatementTransaction {
  isReversal: boolean;
  /** The values of the entry as a whole, used where its details have none. */
  additional: string | null;
}

export function readEntry(fields: Fields, where: string, accountIban: string): Entry {
  const balance = readAmount(fields);
  if ('problem' in balance) throw new StatementError(where, balance.problem);
  const { amount, currency } = balance;
  const booked = first(fields, 'BookgDt/Dt', 'BookgDt/DtTm');
  const value = first(fields, 'ValDt/Dt', 'ValDt/DtTm');
  const bookingDate = booked ?? value;
  if (bookingDate === null) throw new StatementError(where, 'entry has neither a booking date nor a value date');
  return {
    accountIban,
    // The bank booked the entry on the day in the time's own offset.
    bookingDate: requireDay(bookingDate.slice(0, 10), where, bookingDate),
    valueDate: value === null ? null : requireDay(value.slice(0, 10), where, value),
    amount,
    currency,
    externalId: parseId(fields.get('AcctSvcrRef')?.[0]) ?? entryId(first(fields, 'NtryRef')),
    counterpartyName: null,
    counterpartyIban: null,
    reference: null,
    isReversal: ['true', '1'].includes(first(fields, 'RvslInd') ?? ''),
    additional: trimText(fields.get('AddtlNtryInf')?.join(' ')),
  };
}

/** An entry's NtryRef, unless it is only a position in this file, which would differ in the next file. */
const entryId = (reference: string | null): string | null =>
  reference === null || /^\d{1,6}$/.test(reference) ? null : parseId(reference);

/**
 * A signed amount. Amounts of ISO 20022 have no sign; CdtDbtInd has the direction, also of a reversal. An error is returned
 * and not thrown, because a file may have any number of wrong balances.
 */
export function readAmount(fields: Fields): Balance | { problem: string } {
  const text = first(fields, 'Amt');
  const direction = first(fields, 'CdtDbtInd');
  if (text === null) return { problem: 'has no amount (Amt)' };
  if (direction !== 'CRDT' && direction !== 'DBIT')
    return { problem: `has no CdtDbtInd of CRDT or DBIT${direction === null ? '' : `: ${quote(direction)}`}` };
  if (!isAmount(text)) return { problem: `amount is no number without a sign: ${quote(text)}` };
  return { amount: signed(new Decimal(text), direction), currency: first(fields, 'Amt/@Ccy') ?? '' };
}

const signed = (amount: Decimal, direction: string): Decimal =>
  direction === 'DBIT' && !amount.isZero() ? amount.negated() : amount;

/** A detail's amount in the entry's currency, with its own direction if it has one, else with the entry's. */
function readPart(entry: Entry, detail: Detail): Decimal | undefined {
  const text = detail.amounts.find(([currency]) => currency === entry.currency)?.[1];
  if (text === undefined || !isAmount(text)) return undefined;
  return signed(new Decimal(text), detail.direction ?? (entry.amount.isNegative() ? 'DBIT' : 'CRDT'));
}

/**
 * Whether the amounts of a batch's details add up to the batch's amount. If they don't (deducted charges, another currency,
 * no amounts), the entry is imported as one transaction, so that the sum stays right.
 */
const addsUp = ({ amount, currency }: Entry, details: DetailStore): boolean =>
  details.total(currency, amount.isNegative())?.equals(amount) ?? false;

function* splitBatch(entry: Entry, details: DetailStore, where: string): Generator<StatementTransaction> {
  try {
    for (const detail of details) {
      const amount = readPart(entry, detail) ?? entry.amount;
      const externalId = detail.externalId ?? entry.externalId;
      yield checked(described({ ...entry, amount, externalId }, detail), where);
    }
  } finally {
    details.close();
  }
}

/** The limit of characters of a batch's joined references: more can't be read by a person. */
const maxReferences = 2000;

/** An entry that is a single transaction, with its details. */
function asOneTransaction(entry: Entry, details: DetailStore): StatementTransaction {
  if (details.length === 1)
    for (const detail of details)
      return described({ ...entry, externalId: entry.externalId ?? detail.externalId }, detail);
  // A batch that could not be split into its details.
  const references = new Set<string>();
  let length = 0;
  for (const detail of details) {
    const { reference } = described(entry, detail);
    if (reference === null || references.has(reference)) continue;
    length += reference.length;
    if (length > maxReferences) break;
    references.add(reference);
  }
  return { ...toTransaction(entry), reference: trimText([...references].join(' ')) ?? entry.additional };
}

function described(entry: Entry, detail: Detail): StatementTransaction {
  return {
    ...toTransaction(entry),
    ...findCounterparty(detail, entry),
    reference:
      joinReference(detail.structured, detail.text, detail.endToEndId) ?? detail.additional ?? entry.additional,
  };
}

function toTransaction({
  isReversal: _isReversal,
  additional: _additional,
  ...transaction
}: Entry): StatementTransaction {
  return transaction;
}

/** An entry's transactions: one, or lazily those of a batch. */
export function readTransactions(
  entry: Entry,
  details: DetailStore,
  where: string,
  warn: Warn,
): Iterable<StatementTransaction> {
  const count = details.length;
  if (count > 1 && addsUp(entry, details)) return splitBatch(entry, details, where);
  if (count > 1)
    warn(
      () =>
        `${capital(where)} has ${count} details that don't make its ` +
        `${entry.amount.toFixed()} ${short(entry.currency)}: it was kept as one transaction.`,
    );
  const whole = checked(asOneTransaction(entry, details), where);
  details.close();
  return [whole];
}
