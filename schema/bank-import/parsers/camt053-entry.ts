import { Decimal } from '../../money/decimal.ts';
import { counterpartyOf, first, isAmount, type Detail, type Fields } from './camt053-details.ts';
import type { DetailStore } from './detail-store.ts';
import {
  StatementError,
  capital,
  checked,
  dayOf,
  idOf,
  quote,
  referenceOf,
  short,
  textOf,
  type Balance,
  type StatementTransaction,
  type Warn,
} from './transaction.ts';

/** PDNG, INFO and FUTR are yet to be booked, and come again when they are. A bank that says nothing means BOOK. */
export function isBooked(fields: Fields, where: string, warn: Warn): boolean {
  const status = first(fields, 'Sts', 'Sts/Cd');
  const own = first(fields, 'Sts/Prtry');
  if (status === null && own !== null)
    warn(() => `${capital(where)} has a status of the bank's own, ${quote(own)}, and was left out.`);
  return status === 'BOOK' || (status === null && own === null);
}

export interface Entry extends StatementTransaction {
  isReversal: boolean;
  /** Said of the entry as a whole; stands for what its details don't say. */
  additional: string | null;
}

export function entryOf(fields: Fields, where: string, accountIban: string): Entry {
  const balance = amountOf(fields);
  if ('fault' in balance) throw new StatementError(where, balance.fault);
  const { amount, currency } = balance;
  const booked = first(fields, 'BookgDt/Dt', 'BookgDt/DtTm');
  const value = first(fields, 'ValDt/Dt', 'ValDt/DtTm');
  const bookingDate = booked ?? value;
  if (bookingDate === null) throw new StatementError(where, 'entry has neither a booking date nor a value date');
  return {
    accountIban,
    // The day in the time's own offset: that is the day on which the bank booked the entry.
    bookingDate: dayOf(bookingDate.slice(0, 10), where, bookingDate),
    valueDate: value === null ? null : dayOf(value.slice(0, 10), where, value),
    amount,
    currency,
    externalId: idOf(fields.get('AcctSvcrRef')?.[0]) ?? entryId(first(fields, 'NtryRef')),
    counterpartyName: null,
    counterpartyIban: null,
    reference: null,
    isReversal: ['true', '1'].includes(first(fields, 'RvslInd') ?? ''),
    additional: textOf(fields.get('AddtlNtryInf')?.join(' ')),
  };
}

/** An entry's NtryRef, unless it's only a place in this file, which would be another one in the next. */
const entryId = (reference: string | null): string | null =>
  reference === null || /^\d{1,6}$/.test(reference) ? null : idOf(reference);

/**
 * A signed amount: ISO 20022's has no sign, CdtDbtInd says which way it went, for a reversal too. What is wrong with it
 * is returned and not thrown, because of balances a file may have any number that are wrong.
 */
export function amountOf(fields: Fields): Balance | { fault: string } {
  const text = first(fields, 'Amt');
  const direction = first(fields, 'CdtDbtInd');
  if (text === null) return { fault: 'has no amount (Amt)' };
  if (direction !== 'CRDT' && direction !== 'DBIT')
    return { fault: `has no CdtDbtInd of CRDT or DBIT${direction === null ? '' : `: ${quote(direction)}`}` };
  if (!isAmount(text)) return { fault: `amount is no number without a sign: ${quote(text)}` };
  return { amount: signed(new Decimal(text), direction), currency: first(fields, 'Amt/@Ccy') ?? '' };
}

const signed = (amount: Decimal, direction: string): Decimal =>
  direction === 'DBIT' && !amount.isZero() ? amount.negated() : amount;

/** A detail's own amount in the entry's currency, with its own direction or the entry's. */
function partOf(entry: Entry, detail: Detail): Decimal | undefined {
  const text = detail.amounts.find(([currency]) => currency === entry.currency)?.[1];
  if (text === undefined || !isAmount(text)) return undefined;
  return signed(new Decimal(text), detail.direction ?? (entry.amount.isNegative() ? 'DBIT' : 'CRDT'));
}

/**
 * Whether a batch's details make its amount. If they don't (charges taken off, another currency, no amounts) what was
 * booked is the entry: money is neither made up nor lost.
 */
const addsUp = ({ amount, currency }: Entry, details: DetailStore): boolean =>
  details.total(currency, amount.isNegative())?.equals(amount) ?? false;

function* partsOf(entry: Entry, details: DetailStore, where: string): Generator<StatementTransaction> {
  try {
    for (const detail of details) {
      const amount = partOf(entry, detail) ?? entry.amount;
      const externalId = detail.externalId ?? entry.externalId;
      yield checked(described({ ...entry, amount, externalId }, detail), where);
    }
  } finally {
    details.close();
  }
}

/** Characters of a batch's references: as many as a reader can take in. */
const mostReferences = 2000;

/** An entry that is a single transaction, with its details. */
function wholeOf(entry: Entry, details: DetailStore): StatementTransaction {
  if (details.length === 1)
    for (const detail of details)
      return described({ ...entry, externalId: entry.externalId ?? detail.externalId }, detail);
  // A batch that couldn't be taken apart.
  const references = new Set<string>();
  let length = 0;
  for (const detail of details) {
    const { reference } = described(entry, detail);
    if (reference === null || references.has(reference)) continue;
    length += reference.length;
    if (length > mostReferences) break;
    references.add(reference);
  }
  return { ...bare(entry), reference: textOf([...references].join(' ')) ?? entry.additional };
}

function described(entry: Entry, detail: Detail): StatementTransaction {
  return {
    ...bare(entry),
    ...counterpartyOf(detail, entry),
    reference: referenceOf(detail.structured, detail.text, detail.endToEndId) ?? detail.additional ?? entry.additional,
  };
}

function bare({ isReversal: _isReversal, additional: _additional, ...transaction }: Entry): StatementTransaction {
  return transaction;
}

/** An entry's transactions: one, or those of a batch, one after the other as they are asked for. */
export function transactionsOf(
  entry: Entry,
  details: DetailStore,
  where: string,
  warn: Warn,
): Iterable<StatementTransaction> {
  const count = details.length;
  if (count > 1 && addsUp(entry, details)) return partsOf(entry, details, where);
  if (count > 1)
    warn(
      () =>
        `${capital(where)} has ${count} details that don't make its ` +
        `${entry.amount.toFixed()} ${short(entry.currency)}: it was kept as one transaction.`,
    );
  const whole = checked(wholeOf(entry, details), where);
  details.close();
  return [whole];
}
