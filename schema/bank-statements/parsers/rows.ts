import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { formatDay } from '../../graphql/scalars/days.ts';
import { numbersOfReceived, numbersOfSent } from '../../resources/bank-transaction/invoice-references.ts';
import { readBytes } from './file-bytes.ts';
import { withOccurrence } from './identity.ts';
import type { OnBalances, StatedBalances } from './stated-balances.ts';
import { readStatement, type StatementOptions } from './statement.ts';
import { StatementError, type StatementTransaction } from './transaction.ts';

/** A transaction of a statement as JSON: the columns to store, and the names to match by. */
export interface StatementRow {
  accountIban: string;
  /** YYYY-MM-DD. */
  bookingDate: string;
  valueDate: string | null;
  /** A signed decimal, exact. */
  amount: string;
  currency: string;
  externalId: string | null;
  counterpartyName: string | null;
  counterpartyIban: string | null;
  reference: string | null;
  /** See identity.ts: the same in every file that has this transaction. */
  identity: string;
  /** The names to match by: what may be invoice numbers in the text on money received, or the words of that on money sent. */
  names: string[];
}

/** A statement's balances as JSON. */
export type BalancesRow = Pick<StatedBalances, 'accountIban' | 'currency' | 'number'> &
  Record<'fromDate' | 'toDate' | 'openingBalance' | 'closingBalance', string>;

/** A line of the file: transactions, and the balances of the statements that ended among them. */
export interface StatementBatch {
  transactions: StatementRow[];
  balances: BalancesRow[];
}

/** Rows that are written to the books by one statement. The event loop does nothing else while they are prepared. */
const batchRows = 250;
/** Characters after which a batch ends earlier. */
const batchLength = 256 * 1024;
/** The limit of accounts in a file. Each becomes a resource. */
const maxAccounts = 1000;
/** The limit for all rows, in bytes. 64 MiB of control characters become 384 MB, because JSON writes each with six bytes. */
const maxLength = 512 * 1024 * 1024;

/**
 * Reads a statement and writes its transactions to a file: a line for each batch, a StatementBatch as JSON.
 * @throws StatementError saying where the statement can't be read, and why
 */
export async function writeRows(statement: string, rows: string, options: StatementOptions): Promise<void> {
  const out = createWriteStream(rows, { flags: 'wx', mode: 0o600 });
  const done = finished(out);
  done.catch(() => {}); // awaited below, unless another error comes first
  const identify = withOccurrence();
  let batch: string[] = [];
  let balances: string[] = [];
  let length = 0;
  let written = 0;
  const write = async (): Promise<void> => {
    written += length;
    if (written > maxLength) throw new StatementError(null, 'holds more text than can be imported at once');
    const isFull = !out.write(`{"transactions":[${batch.join()}],"balances":[${balances.join()}]}\n`);
    [batch, balances, length] = [[], [], 0];
    if (isFull) await once(out, 'drain');
  };
  const accounts = new Set<string>();
  const countAccount = ({ accountIban, currency }: { accountIban: string; currency: string }): void => {
    accounts.add(`${currency} ${accountIban}`);
    if (accounts.size > maxAccounts) throw new StatementError(null, `has more than ${maxAccounts} accounts`);
  };
  const onBalances: OnBalances = (stated) => {
    countAccount(stated);
    const row = JSON.stringify(toBalancesRow(stated));
    balances.push(row);
    length += row.length;
  };
  try {
    for await (const transaction of readStatement(readBytes(statement), { ...options, onBalances })) {
      countAccount(transaction);
      const row = JSON.stringify(toRow(transaction, identify(transaction)));
      batch.push(row);
      length += row.length;
      if (batch.length === batchRows || length > batchLength) await write();
    }
    if (batch.length + balances.length > 0) await write();
    out.end();
    await done;
  } finally {
    out.destroy();
  }
}

export function toRow(transaction: StatementTransaction, identity: string): StatementRow {
  const { amount, bookingDate, valueDate, reference, externalId } = transaction;
  const text = [reference, externalId].filter(Boolean).join(' ');
  return {
    ...transaction,
    bookingDate: formatDay(bookingDate),
    valueDate: valueDate && formatDay(valueDate),
    amount: amount.toFixed(),
    identity,
    names: amount.isNegative() ? numbersOfSent(text) : numbersOfReceived(text),
  };
}

const toBalancesRow = (stated: StatedBalances): BalancesRow => ({
  ...stated,
  fromDate: formatDay(stated.fromDate),
  toDate: formatDay(stated.toDate),
  openingBalance: stated.openingBalance.toFixed(),
  closingBalance: stated.closingBalance.toFixed(),
});

/** The batches that writeRows() wrote, one after the other. */
export async function* readRows(path: string): AsyncGenerator<StatementBatch> {
  let rest = '';
  for await (const part of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (rest + String(part)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as StatementBatch;
  }
}
