import { Decimal, sum } from '../money.ts';
import {
  StatementError,
  addTo,
  capital,
  checkBalance,
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
import { counterpartyOf, type Detail, detailFields, detailOf, type Fields, first } from './camt053-details.ts';

const statementPath = 'BkToCstmrStmt/Stmt';
const balancePath = `${statementPath}/Bal`;
const entryPath = `${statementPath}/Ntry`;
const detailPath = `${entryPath}/NtryDtls/TxDtls`;

// What is read of each, by path; nothing else is kept. Where versions differ both paths are named: a status is text up
// to version 07 and a choice from 08 on.
const wanted = new Map([
  [statementPath, new Set(['Acct/Id/IBAN', 'Acct/Id/Othr/Id'])],
  [balancePath, new Set(['Tp/CdOrPrtry/Cd', 'Amt', 'CdtDbtInd'])],
  [
    entryPath,
    new Set(
      (
        'NtryRef Amt CdtDbtInd RvslInd Sts Sts/Cd Sts/Prtry BookgDt/Dt BookgDt/DtTm ValDt/Dt ValDt/DtTm ' +
        'AcctSvcrRef AddtlNtryInf'
      ).split(' '),
    ),
  ],
  [detailPath, new Set(detailFields)],
]);

interface Scope {
  path: string;
  wanted: Set<string>;
  fields: Fields;
  line: number;
}

/** Takes the elements below a Document as they open and close, and makes transactions of the entries. */
export class StatementReader {
  /** Statements so far. */
  count = 0;
  readonly #warn: Warn;
  readonly #scopes: Scope[] = [];
  #transactions: StatementTransaction[] = [];
  #details: Detail[] = [];
  #entries = 0;
  #sums = new Map<string, Decimal>();
  #balances: { kind: string; balance: Balance }[] = [];

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  /** The transactions that are complete by now. */
  take(): StatementTransaction[] {
    const transactions = this.#transactions;
    this.#transactions = [];
    return transactions;
  }

  open(path: string, line: number, currency: string | undefined): void {
    const fields = wanted.get(path);
    if (fields) {
      this.#scopes.push({ path, wanted: fields, fields: new Map(), line });
      if (path === statementPath) this.#openStatement();
      if (path === entryPath) this.#entries += 1;
    } else if (currency !== undefined) this.#keep(`${path}/@Ccy`, currency);
  }

  close(path: string, text: string): void {
    const scope = this.#scopes.at(-1);
    if (scope?.path !== path) {
      this.#keep(path, text);
      return;
    }
    this.#scopes.pop();
    if (path === detailPath) this.#details.push(detailOf(scope.fields));
    else if (path === entryPath) this.#closeEntry(scope);
    else if (path === balancePath) this.#closeBalance(scope);
    else this.#closeStatement();
  }

  #keep(path: string, text: string): void {
    const scope = this.#scopes.at(-1);
    if (!scope?.path || !path.startsWith(scope.path)) return;
    const name = path.slice(scope.path.length + 1);
    if (!scope.wanted.has(name.endsWith('/@Ccy') ? name.slice(0, -5) : name)) return;
    const value = textOf(text);
    if (value === null) return;
    const values = scope.fields.get(name);
    if (values) values.push(value);
    else scope.fields.set(name, [value]);
  }

  #openStatement(): void {
    this.count += 1;
    this.#entries = 0;
    this.#sums = new Map();
    this.#balances = [];
  }

  #closeBalance({ fields, line }: Scope): void {
    const where = `line ${line}, statement ${this.count}`;
    const balance = amountOf(fields, where);
    // Its kind: OPBD and CLBD, on the pages in between ITBD, and PRCD for the one the last statement closed with.
    this.#balances.push({ kind: first(fields, 'Tp/CdOrPrtry/Cd') ?? '', balance });
  }

  #closeStatement(): void {
    const of = (kind: string): Balance[] => this.#balances.filter((one) => one.kind === kind).map((one) => one.balance);
    const between = of('ITBD');
    const opening = of('OPBD')[0] ?? of('PRCD')[0] ?? between.shift();
    const closing = of('CLBD').at(-1) ?? between.at(-1);
    if (opening && closing) checkBalance(`statement ${this.count}`, opening, this.#sums, closing, this.#warn);
  }

  #closeEntry({ fields, line }: Scope): void {
    const details = this.#details;
    this.#details = [];
    const where = `line ${line}, statement ${this.count}, entry ${this.#entries}`;
    if (!isBooked(fields, where, this.#warn)) return;
    const entry = entryOf(fields, where, accountOf(this.#scopes[0]?.fields ?? new Map(), where));
    addTo(this.#sums, entry);
    const parts = details.length > 1 ? partsOf(entry, details, where, this.#warn) : undefined;
    for (const transaction of parts ?? [wholeOf(entry, details)]) this.#transactions.push(checked(transaction, where));
  }
}

/** PDNG, INFO and FUTR are yet to be booked, and come again when they are. A bank that says nothing means BOOK. */
function isBooked(fields: Fields, where: string, warn: Warn): boolean {
  const status = first(fields, 'Sts', 'Sts/Cd');
  const own = first(fields, 'Sts/Prtry');
  if (status === null && own !== null)
    warn(`${capital(where)} has a status of the bank's own, ${quote(own)}, and was left out.`);
  return status === 'BOOK' || (status === null && own === null);
}

function accountOf(fields: Fields, where: string): string {
  const account = first(fields, 'Acct/Id/IBAN', 'Acct/Id/Othr/Id');
  if (account === null) throw new StatementError(where, 'entry is in a statement without an account (Acct/Id)');
  return account;
}

interface Entry extends StatementTransaction {
  isReversal: boolean;
  /** Said of the entry as a whole; stands for what its details don't say. */
  additional: string | null;
}

function entryOf(fields: Fields, where: string, accountIban: string): Entry {
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
function amountOf(fields: Fields, where: string): Balance {
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

/**
 * The details of a batch as transactions, each with its own amount in the entry's currency and its own direction, or the
 * entry's. Undefined if they don't make the entry's amount (charges taken off, details in another currency or without
 * amounts): what was booked is the entry, and money is neither made up nor lost.
 */
function partsOf(entry: Entry, details: Detail[], where: string, warn: Warn): StatementTransaction[] | undefined {
  const parts: StatementTransaction[] = [];
  for (const detail of details) {
    const text = detail.amounts.find(([currency]) => currency === entry.currency)?.[1];
    if (text === undefined || !number.test(text)) break;
    const direction = detail.direction ?? (entry.amount.isNegative() ? 'DBIT' : 'CRDT');
    const amount = signed(new Decimal(text), direction);
    const part = described({ ...entry, amount, externalId: detail.externalId ?? entry.externalId }, detail);
    parts.push(part);
  }
  if (parts.length === details.length && sum(parts.map((part) => part.amount)).equals(entry.amount)) return parts;
  const total = `${entry.amount.toFixed()} ${entry.currency}`;
  warn(`${capital(where)} has ${details.length} details that don't make its ${total}: it was kept as one transaction.`);
  return undefined;
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
