import { parseDay } from '../../graphql/scalars/days.ts';
import type { Decimal } from '../../money/decimal.ts';
import { detailFields, readDetail, first, listFields, type Fields } from './camt053-details.ts';
import { DetailStore } from './detail-store.ts';
import { BookingDays, stateBalances, type OnBalances } from './stated-balances.ts';
import { readAmount, readEntry, isBooked, readTransactions } from './camt053-entry.ts';
import {
  StatementError,
  addTo,
  capital,
  checkBalance,
  maxText,
  short,
  trimText,
  type Balance,
  type StatementTransaction,
  type Warn,
} from './transaction.ts';

const statementPath = 'BkToCstmrStmt/Stmt';
const balancePath = `${statementPath}/Bal`;
const entryPath = `${statementPath}/Ntry`;
const detailPath = `${entryPath}/NtryDtls/TxDtls`;

// The paths that are read; no other element is kept. If versions differ, both paths are listed: a status is text up to
// version 07, and a choice from 08 on.
const wanted = new Map([
  [statementPath, new Set(['Acct/Id/IBAN', 'Acct/Id/Othr/Id', 'ElctrncSeqNb', 'LglSeqNb', 'FrToDt/FrDtTm'])],
  [balancePath, new Set(['Tp/CdOrPrtry/Cd', 'Amt', 'CdtDbtInd', 'Dt/Dt', 'Dt/DtTm'])],
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

/** The paths that are read, and those of the elements around them. No other path is built. */
const readPaths = new Set(
  [...wanted].flatMap(([path, fields]) => [path, ...[...fields].map((field) => `${path}/${field}`)]).flatMap(prefixes),
);

function prefixes(path: string): string[] {
  const names = path.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** The longest name of an element that is read. */
const longestName = 40;

/** The path of an element below another; undefined if nothing below it is read. */
export function pathBelow(parent: string, name: string): string | undefined {
  if (name.length > longestName) return undefined;
  const path = parent === '' ? name : `${parent}/${name}`;
  return readPaths.has(path) ? path : undefined;
}

interface Scope {
  path: string;
  wanted: Set<string>;
  fields: Fields;
  line: number;
  /** The number of characters that were kept. */
  length: number;
}

/** A statement's balances, as far as they are needed: a file may have any number of them. */
interface Balances {
  opening: Map<string, Balance>;
  closing: Map<string, Balance>;
  /** The number of pages in between. */
  between: number;
}

/** Receives the elements below a Document as they open and close, and builds transactions from the entries. */
export class StatementReader {
  /** Statements so far. */
  count = 0;
  readonly #warn: Warn;
  readonly #maxDetails: number;
  readonly #onBalances: OnBalances;
  readonly #scopes: Scope[] = [];
  #ready: Iterable<StatementTransaction>[] = [];
  #details = new DetailStore();
  #entries = 0;
  #sums = new Map<string, Decimal>();
  #days = new BookingDays();
  #balances: Balances = { opening: new Map(), closing: new Map(), between: 0 };

  /** @param maxDetails of an entry */
  constructor(warn: Warn, maxDetails: number, onBalances: OnBalances) {
    this.#warn = warn;
    this.#maxDetails = maxDetails;
    this.#onBalances = onBalances;
  }

  /** The transactions that are complete so far; those of a batch lazily. */
  *take(): Generator<StatementTransaction> {
    const ready = this.#ready;
    this.#ready = [];
    for (const transactions of ready) yield* transactions;
  }

  open(path: string, line: number, currency: string | undefined): void {
    const fields = wanted.get(path);
    if (fields) {
      this.#scopes.push({ path, wanted: fields, fields: new Map(), line, length: 0 });
      if (path === statementPath) this.#openStatement();
      if (path === entryPath) this.#entries += 1;
    } else if (currency !== undefined) this.#keep(path, currency, '/@Ccy');
  }

  close(path: string, text: string): void {
    const scope = this.#scopes.at(-1);
    if (scope?.path !== path) {
      this.#keep(path, text);
      return;
    }
    this.#scopes.pop();
    if (path === detailPath) this.#closeDetail(scope);
    else if (path === entryPath) this.#closeEntry(scope);
    else if (path === balancePath) this.#closeBalance(scope);
    else this.#closeStatement(scope);
  }

  /** Keeps an element's text, or its attribute. */
  #keep(path: string, text: string, attribute = ''): void {
    const scope = this.#scopes.at(-1);
    if (!scope) return;
    const name = path.slice(scope.path.length + 1);
    if (!scope.wanted.has(name)) return;
    const value = trimText(text);
    if (value === null) return;
    const key = name + attribute;
    const values = scope.fields.get(key);
    if (values && !listFields.has(key)) return; // the first one counts
    // Each element counts as one more character, because a million empty ones also take memory.
    scope.length += value.length + 1;
    if (scope.length > maxText && (scope.path === entryPath || scope.path === detailPath))
      throw new StatementError(this.#where(scope), `entry holds more than ${maxText} characters of text`);
    if (scope.length > maxText)
      throw new StatementError(`line ${scope.line}`, `statement holds more than ${maxText} characters of text`);
    if (values) values.push(value);
    else scope.fields.set(key, [value]);
  }

  #where({ line }: Pick<Scope, 'line'>): string {
    return `line ${line}, statement ${this.count}, entry ${this.#entries}`;
  }

  #openStatement(): void {
    this.count += 1;
    this.#entries = 0;
    this.#sums = new Map();
    this.#days = new BookingDays();
    this.#balances = { opening: new Map(), closing: new Map(), between: 0 };
  }

  #closeBalance({ fields, line }: Scope): void {
    // OPBD and CLBD, on the pages in between ITBD, and PRCD for the one that the last statement closed with.
    const kind = first(fields, 'Tp/CdOrPrtry/Cd') ?? '';
    const balance = readAmount(fields);
    if ('problem' in balance) {
      // No transaction depends on it.
      const statement = this.count;
      const name = kind === '' ? '' : ` ${short(kind)}`;
      this.#warn(() => `${capital(`line ${line}, statement ${statement}, balance${name}`)}: this ${balance.problem}.`);
      return;
    }
    balance.day = parseTime(first(fields, 'Dt/Dt', 'Dt/DtTm'));
    const { opening, closing } = this.#balances;
    if (kind === 'ITBD') this.#balances.between += 1;
    if (['OPBD', 'PRCD', 'ITBD'].includes(kind) && !opening.has(kind)) opening.set(kind, balance);
    if (['CLBD', 'ITBD'].includes(kind)) closing.set(kind, balance);
  }

  /** The first page in between opens a statement that has no opening balance, and the last one closes it. */
  #closeStatement({ fields }: Scope): void {
    const { opening, closing, between } = this.#balances;
    const opens = opening.get('OPBD') ?? opening.get('PRCD') ?? opening.get('ITBD');
    const isOpenedBetween = opens !== undefined && opens === opening.get('ITBD');
    const closes = closing.get('CLBD') ?? (isOpenedBetween && between < 2 ? undefined : closing.get('ITBD'));
    if (!opens || !closes) return;
    checkBalance(`statement ${this.count}`, opens, this.#sums, closes, this.#warn);
    const balances = stateBalances({
      accountIban: findAccount(fields),
      number: first(fields, 'LglSeqNb', 'ElctrncSeqNb'),
      opening: opens,
      closing: closes,
      from: parseTime(first(fields, 'FrToDt/FrDtTm')),
      to: closes.day,
      days: this.#days,
    });
    if (balances) this.#onBalances(balances);
  }

  #closeDetail({ fields, line }: Scope): void {
    if (this.#details.length === this.#maxDetails)
      throw new StatementError(this.#where({ line }), `entry has more than ${this.#maxDetails} details`);
    this.#details.add(readDetail(fields));
  }

  #closeEntry({ fields, line }: Scope): void {
    const details = this.#details;
    this.#details = new DetailStore();
    const where = this.#where({ line });
    if (!isBooked(fields, where, this.#warn)) return details.close();
    const entry = readEntry(fields, where, requireAccount(this.#scopes[0]?.fields ?? new Map(), where));
    addTo(this.#sums, entry, where);
    this.#days.add(entry.bookingDate);
    this.#ready.push(readTransactions(entry, details, where, this.#warn));
  }
}

const findAccount = (fields: Fields): string | null => first(fields, 'Acct/Id/IBAN', 'Acct/Id/Othr/Id');

/** The day of a date, or of a time in its own offset; null if it is none. */
const parseTime = (text: string | null): Date | null => (text === null ? null : (parseDay(text.slice(0, 10)) ?? null));

function requireAccount(fields: Fields, where: string): string {
  const account = findAccount(fields);
  if (account === null) throw new StatementError(where, 'entry is in a statement without an account (Acct/Id)');
  return account;
}
