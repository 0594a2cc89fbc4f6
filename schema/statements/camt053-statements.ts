import type { Decimal } from '../money.ts';
import { detailFields, detailOf, first, type Detail, type Fields } from './camt053-details.ts';
import { amountOf, entryOf, isBooked, transactionsOf } from './camt053-entry.ts';
import {
  StatementError,
  addTo,
  checkBalance,
  textOf,
  type Balance,
  type StatementTransaction,
  type Warn,
} from './transaction.ts';

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
  #ready: Iterable<StatementTransaction>[] = [];
  #details: Detail[] = [];
  #entries = 0;
  #sums = new Map<string, Decimal>();
  #balances: { kind: string; balance: Balance }[] = [];

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  /** The transactions that are complete by now; a batch's one after the other, as they are asked for. */
  *take(): Generator<StatementTransaction> {
    const ready = this.#ready;
    this.#ready = [];
    for (const transactions of ready) yield* transactions;
  }

  open(path: string, line: number, currency: string | undefined): void {
    const fields = wanted.get(path);
    if (fields) {
      this.#scopes.push({ path, wanted: fields, fields: new Map(), line });
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
    if (path === detailPath) this.#details.push(detailOf(scope.fields));
    else if (path === entryPath) this.#closeEntry(scope);
    else if (path === balancePath) this.#closeBalance(scope);
    else this.#closeStatement();
  }

  /** Keeps an element's text, or its attribute. */
  #keep(path: string, text: string, attribute = ''): void {
    const scope = this.#scopes.at(-1);
    if (!scope) return;
    const name = path.slice(scope.path.length + 1);
    if (!scope.wanted.has(name)) return;
    const value = textOf(text);
    if (value === null) return;
    const key = name + attribute;
    const values = scope.fields.get(key);
    if (values) values.push(value);
    else scope.fields.set(key, [value]);
  }

  #openStatement(): void {
    this.count += 1;
    this.#entries = 0;
    this.#sums = new Map();
    this.#balances = [];
  }

  #closeBalance({ fields, line }: Scope): void {
    // OPBD and CLBD, on the pages in between ITBD, and PRCD for the one that the last statement closed with.
    const kind = first(fields, 'Tp/CdOrPrtry/Cd') ?? '';
    try {
      this.#balances.push({
        kind,
        balance: amountOf(fields, `line ${line}, statement ${this.count}, balance ${kind}`),
      });
    } catch (error) {
      // No transaction depends on it.
      if (!(error instanceof StatementError)) throw error;
      this.#warn(error.message);
    }
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
    this.#ready.push(transactionsOf(entry, details, where, this.#warn));
  }
}

function accountOf(fields: Fields, where: string): string {
  const account = first(fields, 'Acct/Id/IBAN', 'Acct/Id/Othr/Id');
  if (account === null) throw new StatementError(where, 'entry is in a statement without an account (Acct/Id)');
  return account;
}
