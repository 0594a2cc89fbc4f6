import { Decimal } from '../money.ts';
import { counterpartyOf, first, type Detail, type Fields } from './camt053-details.ts';
import {
  StatementError,
  capital,
  checked,
  dayOf,
  idOf,
  quote,
  referenceOf,
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
    warn(`${capital(where)} has a status of the bank's own, ${quote(own)}, and was left out.`);
  return status === 'BOOK' || (status === null && own === null);
}

export interface Entry extends StatementTransaction {
  isReversal: boolean;
  /** Said of the entry as a whole; stands for what its details don't say. */
  additional: string | null;
}

export function entryOf(fields: Fields, where: string, accountIban: string): Entry {
  const { amount, currency } = amountOf(fields, where);
  const booked = first(fields, 'BookgDt/Dt', 'BookgDt/DtTm');
  const value = first(fields, 'ValDt/Dt', 'ValDt/DtTm');
  const bookingDate = booked ?? value;
  if (bookingDate === null) throw new StatementError(where, 'entry has neither a booking date nor a value date');
  return {
    accountIban,
    // A time's own day, whatever its offset: that is the day the bank booked it on.
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

/** A signed amount: ISO 20022's has no sign, CdtDbtInd says which way it went, for a reversal too. */
export function amountOf(fields: Fields, where: string): Balance {
  const text = first(fields, 'Amt');
  const direction = first(fields, 'CdtDbtInd');
  if (text === null) throw new StatementError(where, 'has no amount (Amt)');
  if (direction !== 'CRDT' && direction !== 'DBIT')
    throw new StatementError(
      where,
      `has no CdtDbtInd of CRDT or DBIT${direction === null ? '' : `: ${quote(direction)}`}`,
    );
  return { amount: signed(numberOf(text, where), direction), currency: first(fields, 'Amt/@Ccy') ?? '' };
}

const number = /^(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})$/;

function numberOf(text: string, where: string): Decimal {
  if (!number.test(text)) throw new StatementError(where, `amount is no number without a sign: ${quote(text)}`);
  return new Decimal(text);
}

const signed = (amount: Decimal, direction: string): Decimal =>
  direction === 'DBIT' && !amount.isZero() ? amount.negated() : amount;

/** A detail's own amount in the entry's currency, with its own direction or the entry's. */
function partOf(entry: Entry, detail: Detail): Decimal | undefined {
  const text = detail.amounts.find(([currency]) => currency === entry.currency)?.[1];
  if (text === undefined || !number.test(text)) return undefined;
  return signed(new Decimal(text), detail.direction ?? (entry.amount.isNegative() ? 'DBIT' : 'CRDT'));
}

/**
 * Whether a batch's details make its amount. If they don't (charges taken off, another currency, no amounts) what was
 * booked is the entry: money is neither made up nor lost.
 */
function addsUp(entry: Entry, details: Detail[]): boolean {
  let total = new Decimal(0);
  for (const detail of details) {
    const amount = partOf(entry, detail);
    if (!amount) return false;
    total = total.plus(amount);
  }
  return total.equals(entry.amount);
}

function* partsOf(entry: Entry, details: Detail[], where: string): Generator<StatementTransaction> {
  for (const detail of details) {
    const amount = partOf(entry, detail) ?? entry.amount;
    const externalId = detail.externalId ?? entry.externalId;
    yield checked(described({ ...entry, amount, externalId }, detail), where);
  }
}

/** An entry as the one transaction it is, with what its details say. */
function wholeOf(entry: Entry, details: Detail[]): StatementTransaction {
  const [detail, second] = details;
  if (detail && !second) return described({ ...entry, externalId: entry.externalId ?? detail.externalId }, detail);
  // A batch that couldn't be taken apart: as many references as a reader can take in.
  const references = [...new Set(details.flatMap((one) => described(entry, one).reference ?? []))];
  let length = 0;
  const told = references.filter((reference) => (length += reference.length) <= 2000);
  return { ...bare(entry), reference: textOf(told.join(' ')) ?? entry.additional };
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
  details: Detail[],
  where: string,
  warn: Warn,
): Iterable<StatementTransaction> {
  if (details.length > 1 && addsUp(entry, details)) return partsOf(entry, details, where);
  if (details.length > 1)
    warn(
      `${capital(where)} has ${details.length} details that don't make its ` +
        `${entry.amount.toFixed()} ${entry.currency}: it was kept as one transaction.`,
    );
  return [checked(wholeOf(entry, details), where)];
}
