import { parseDay } from '../../graphql/scalars/days.ts';
import type { Decimal } from '../../money/decimal.ts';
import { parseAmount, parseYearDay, readEntry } from './mt940-entry.ts';
import { BookingDays, stateBalances, type OnBalances } from './stated-balances.ts';
import {
  StatementError,
  addTo,
  checkBalance,
  checked,
  quote,
  type Balance,
  type StatementTransaction,
  type Warn,
} from './transaction.ts';

// A parser of our own, because the MT940 parsers on npm don't suffice (mt940-js, mt940js and @centrapay/swift-parser, as of
// November 2026). All of them keep the whole file in memory and amounts in binary floating point. The latter two refuse the
// text that real banks put around messages. The first one joins lines wrongly, truncates the references of :61:, and
// doesn't parse the sub-fields of :86:.

/** The fields of an MT940. Any other line with a colon at its beginning is text. */
const tag = /^:(20|21|25P?|28C?|60[FM]|61|86|62[FM]|64|65|NS):(.*)$/s;
/** Fields of an MT942, the report during the day. */
const interim = /^:(?:34F|90[CD]):/;
/** SWIFT's blocks around a message. */
const header = /^\{[1-5]:/;
/** A message's end: SWIFT's, or the variants that banks write. */
const end = /^-(?:\}.*|XXX)?\s*$/s;

/** The limit of characters of an entry with all its lines; SWIFT allows about 500. */
const maxLength = 20_000;

interface Mt940Field {
  tag: string;
  lines: string[];
  length: number;
  line: number;
}

interface Statement {
  account: string;
  number: string | null;
  days: BookingDays;
  opening?: Balance;
  sums: Map<string, Decimal>;
  isClosed: boolean;
  /** Whether the parser is inside SWIFT's `{4:`, which must be closed. */
  isBlock: boolean;
}

/** The transactions of MT940 messages. Text before, between and after messages is ignored. */
export async function* readMt940(
  text: AsyncIterable<string>,
  warn: Warn,
  onBalances: OnBalances,
): AsyncGenerator<StatementTransaction> {
  const reader = new MessageReader(warn, onBalances);
  let rest = '';
  for await (const part of text) {
    // A carriage return at the end may be the first half of a line break.
    const lines = (rest + part).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) reader.line(line);
    if (rest.length > maxLength) throw tooLong(reader);
    yield* reader.take();
  }
  reader.line(rest.replace(/\r$/, ''));
  reader.end();
  yield* reader.take();
}

const tooLong = (reader: MessageReader): StatementError => reader.error('line is too long for an MT940');

class MessageReader {
  readonly #warn: Warn;
  readonly #onBalances: OnBalances;
  #transactions: StatementTransaction[] = [];
  #line = 0;
  #statements = 0;
  #entries = 0;
  #isBlock = false;
  /** Whether earlier messages had an end mark: then the last one must have one, too. */
  #areEnded = false;
  #field: Mt940Field | undefined;
  #statement: Statement | undefined;
  /** An entry that waits for its :86:. */
  #entry: { field: Mt940Field; information: string[] } | undefined;

  constructor(warn: Warn, onBalances: OnBalances) {
    this.#warn = warn;
    this.#onBalances = onBalances;
  }

  take(): StatementTransaction[] {
    const transactions = this.#transactions;
    this.#transactions = [];
    return transactions;
  }

  error(reason: string, line = this.#line): StatementError {
    return new StatementError(`line ${line}`, reason);
  }

  line(text: string): void {
    this.#line += 1;
    if (text.length > maxLength) throw tooLong(this);
    if (interim.test(text)) throw this.error('is an MT942, a report during the day, not an MT940 statement');
    const [, name, value] = tag.exec(text) ?? [];
    if (name !== undefined && value !== undefined) {
      this.#closeField();
      this.#field = { tag: name, lines: [], length: 0, line: this.#line };
      this.#content(value);
    } else if (header.test(text)) this.#header(text);
    else if (end.test(text)) {
      this.#closeField();
      if (this.#statement) this.#areEnded = true;
      this.#closeStatement();
      this.#isBlock = false;
    } else if (this.#field) this.#content(text);
  }

  end(): void {
    this.#closeField();
    if (this.#statement && (this.#statement.isBlock || this.#areEnded))
      throw this.error('file ends within a message: the line that ends it is missing');
    this.#closeStatement();
    if (this.#statements === 0) throw new StatementError(null, 'holds no MT940 message (:20:, :25:, :60F:)');
  }

  /** SWIFT's blocks {1:…}{2:…}{4: before a message; its first field may follow in the same line. */
  #header(text: string): void {
    if (/\{2:[IO]942/.test(text)) throw this.error('is an MT942, a report during the day, not an MT940 statement');
    this.#closeField();
    this.#closeStatement();
    const [, first] = /\{4:\s*(.*)$/s.exec(text) ?? [];
    this.#isBlock = first !== undefined;
    if (!first) return;
    // Otherwise each message would be read as a part of the one before.
    if (header.test(first)) throw this.error('line has a block within a block');
    this.#line -= 1;
    this.line(first);
  }

  #content(text: string): void {
    const field = this.#field;
    if (!field) return;
    // The message may end in the line of its last field.
    const [content = ''] = this.#isBlock ? text.split(/-\}(?:\{5:.*)?$/s, 1) : [text];
    field.lines.push(content);
    field.length += content.length + 1; // a million empty lines also take memory
    if (field.length > maxLength) throw this.error(`field :${field.tag}: is too long for an MT940`, field.line);
    if (content !== text) this.line('-}');
  }

  #closeField(): void {
    const field = this.#field;
    if (!field) return;
    this.#field = undefined;
    const [content = ''] = field.lines;
    if (field.tag === '86') this.#inform(field);
    else this.#closeEntry();
    if (field.tag === '20') this.#openStatement();
    else if (field.tag.startsWith('25')) this.#statementAt(field).account = content.trim();
    else if (field.tag.startsWith('28')) this.#statementAt(field).number = content.trim();
    else if (field.tag.startsWith('60')) this.#open(field, content);
    else if (field.tag === '61') this.#entry = { field, information: [] };
    else if (field.tag.startsWith('62')) this.#close(field, content);
  }

  /** An :86: belongs to the entry before it; after the closing balance, it belongs to the statement. */
  #inform(field: Mt940Field): void {
    const entry = this.#entry;
    if (!entry) return;
    entry.information.push(...field.lines);
    entry.field.length += field.length;
    if (entry.field.length > maxLength) throw this.error('entry is too long for an MT940', entry.field.line);
  }

  #openStatement(): void {
    this.#closeStatement();
    this.#statements += 1;
    this.#entries = 0;
    const days = new BookingDays();
    this.#statement = { account: '', number: null, days, sums: new Map(), isClosed: false, isBlock: this.#isBlock };
  }

  #statementAt(field: Mt940Field): Statement {
    if (!this.#statement) throw this.error(`field :${field.tag}: stands outside of a message (:20:)`, field.line);
    return this.#statement;
  }

  #open(field: Mt940Field, content: string): void {
    const statement = this.#statementAt(field);
    // Some banks continue with the next day's balance without a new :20:.
    if (statement.opening && !statement.isClosed)
      throw this.error('statement opens before the one before it has closed', field.line);
    statement.opening = this.#balance(field, content);
    statement.sums = new Map();
    statement.days = new BookingDays();
    statement.isClosed = false;
  }

  #close(field: Mt940Field, content: string): void {
    const statement = this.#statementAt(field);
    const closing = this.#balance(field, content);
    if (!statement.opening) throw this.error('statement has no opening balance (:60F:)', field.line);
    statement.isClosed = true;
    const { opening, account: accountIban, number, days } = statement;
    checkBalance(`statement ${this.#statements}`, opening, statement.sums, closing, this.#warn);
    const balances = stateBalances({ accountIban, number, opening, closing, to: closing.day ?? null, days });
    if (balances) this.#onBalances(balances);
  }

  #balance(field: Mt940Field, content: string): Balance {
    const [, direction, day = '', currency = '', amount = ''] =
      /^([CD])(\d{6})([A-Z]{3})(\d{1,15}[.,]\d*)\s*$/.exec(content) ?? [];
    if (direction === undefined)
      throw this.error(`balance :${field.tag}: can't be read: ${quote(content)}`, field.line);
    return { amount: parseAmount(amount, direction === 'D'), currency, day: parseDay(parseYearDay(day)) ?? null };
  }

  #closeStatement(): void {
    this.#closeEntry();
    const statement = this.#statement;
    this.#statement = undefined;
    if (statement && !statement.isClosed)
      throw this.error(`statement ${this.#statements} ends without a closing balance (:62F:); the file may be cut off`);
  }

  #closeEntry(): void {
    const entry = this.#entry;
    if (!entry) return;
    this.#entry = undefined;
    this.#entries += 1;
    const where = `line ${entry.field.line}, statement ${this.#statements}, entry ${this.#entries}`;
    const statement = this.#statementAt(entry.field);
    const { opening, isClosed, sums, account } = statement;
    if (!opening || isClosed) throw new StatementError(where, 'entry has no opening balance (:60F:) before it');
    const transaction = checked(
      readEntry(entry.field.lines, entry.information, account, opening.currency, where),
      where,
    );
    addTo(sums, transaction, where);
    statement.days.add(transaction.bookingDate);
    this.#transactions.push(transaction);
  }
}
