import { createHash, randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { requireTestRoom } from '../graphql/test-tenant-bounds.ts';
import { ValidationError } from '../errors/errors.ts';
import { renderEvents } from '../events/events.ts';
import { Decimal } from '../money/money.ts';
import { readStatementFile } from './parsers/parse-file.ts';
import { FileAccounts } from './write-accounts.ts';
import { readRows, toRow, type StatementBatch, type StatementRow } from './parsers/rows.ts';
import { StatementError, type StatementOptions } from './parsers/statement.ts';
import type { StatementTransaction } from './parsers/transaction.ts';
import { choosePayers, makeExactMatches, type ExactMatch } from '../resources/bank-transaction/exact-matches.ts';
import { findCertain } from '../resources/bank-transaction/suggestions.ts';
import { holdPeriodLocks } from '../resources/period-lock/rules.ts';
import { findNumbersOfOpen } from '../resources/bank-transaction/candidates.ts';
import { makeTemporaryFolder } from '../graphql/input/temporary-folder.ts';

/** A file is imported in one transaction, however long that takes; 100,000 entries take up to a minute. */
export const importLimits = { timeout: 60 * 60 * 1000 };

export interface ImportResult {
  /** Transactions that were new. */
  imported: number;
  /** Transactions that were there already. */
  skipped: number;
  /** New transactions that certainly paid an invoice or receipt, and were matched automatically. */
  matched: number;
  /** Oddities of the file, such as balances that don't add up. At most 101: the last may say how many more there are. */
  warnings: string[];
}

/**
 * Imports a bank statement, completely or not at all. A transaction that was imported before, from this file or another,
 * is skipped (DECISIONS.md#d50-identity-of-a-transaction). A transaction that certainly pays an invoice or receipt is
 * matched with it. The file is parsed before a connection is acquired. Once the client has left, nothing is imported.
 * @param file the path of a complete file
 * @throws ValidationError saying where the file can't be read, and why
 */
export async function importStatement(
  context: Context,
  file: string,
  options: Omit<StatementOptions, 'warn'>,
): Promise<ImportResult> {
  const folder = await makeTemporaryFolder();
  try {
    const rows = join(folder.path, 'rows');
    const warnings = await keepTransactionAlive(context, readStatementFile(file, rows, options, context.signal));
    const isSmall = (await stat(rows)).size <= smallRows;
    const written = await writeWhenUnlocked(context, { isSmall, read: () => readRows(rows) });
    context.announceRows(['BankTransaction'], written.imported);
    return { ...written, warnings };
  } catch (error) {
    throw error instanceof StatementError
      ? new ValidationError({ file: [['invalid_file', error.message]] }, error.message)
      : error;
  } finally {
    await folder.discard();
  }
}

/** Imports one transaction as that of a statement, as no other, though there be an equal one. @returns its identity */
export async function importTransaction(context: Context, transaction: StatementTransaction): Promise<string> {
  const identity = createHash('sha256').update(randomUUID()).digest('hex');
  const batch = { transactions: [toRow(transaction, identity)], balances: [] };
  await writeWhenUnlocked(context, { isSmall: true, read: () => [batch] });
  return identity;
}

/** PostgreSQL ends a transaction that has been idle for a minute. */
const keepAliveMs = 15_000;

/** Keeps a surrounding transaction alive during work without statements. */
async function keepTransactionAlive<Result>(context: Context, work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {
    context.db.bankTransaction.findFirst({ select: { id: true } }).catch(() => {}); // the next statement says why
  }, keepAliveMs);
  return work.finally(() => clearInterval(timer));
}

type Written = Omit<ImportResult, 'warnings'>;
type Batches = AsyncIterable<StatementBatch> | Iterable<StatementBatch>;

interface Source {
  isSmall: boolean;
  /** Is called for each try. */
  read: () => Batches;
}

/** How often an import checks whether the one that it waits for has ended. */
const pollMs = 200;

/** The size of a small import's rows, in bytes: some thousand transactions, which are written in a second or two. */
const smallRows = 512 * 1024;
/** How long a small import waits for another transaction's lock. Less than the time after which PostgreSQL seeks deadlocks. */
const smallLockWaitMs = 500;

/**
 * Writes the rows as soon as no other import is in the way. A tenant's large imports are written one after the other, and so are
 * its small ones, because transactions that add the same rows in different orders would deadlock. A small import doesn't wait
 * for a large one, unless they add the same transaction or pay the same invoice: then the small one is undone, and tried again.
 * Waits without a connection, unless within a transaction that has one.
 */
async function writeWhenUnlocked(context: Context, { isSmall, read }: Source): Promise<Written> {
  for (;;) {
    const written = await context
      .transaction(async (inside) => {
        if (!(await inside.db.tryAdvisoryLock(isSmall ? 'small statement import' : 'statement import')))
          return undefined;
        if (isSmall) await inside.db.limitLockWaits(smallLockWaitMs);
        await inside.db.actAsImport();
        return write(inside, read());
      }, importLimits)
      .catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
      });
    if (written) return written;
    await sleep(pollMs);
  }
}

async function write(context: Context, batches: Batches): Promise<Written> {
  await context.db.planForAnyTenant();
  const result: Written = { imported: 0, skipped: 0, matched: 0 };
  const naming: string[] = [];
  const accounts = new FileAccounts();
  for await (const batch of batches) {
    const { transactions } = batch;
    const added = await writeBatch(context, transactions);
    result.imported += added.length;
    result.skipped += transactions.length - added.length;
    accounts.add(batch);
    naming.push(...(await namingOpen(context, added)));
    context.responseSize?.forgetRead();
  }
  await accounts.write(context);
  result.matched = await matchCertain(context, naming);
  await context.db.runDeferredTriggers();
  return result;
}

/** A transaction that was added. */
type Added = Pick<StatementRow, 'names'> & { id: string; isSent: boolean };

/** Writes the rows whose identity isn't stored yet. */
async function writeBatch(context: Context, batch: StatementRow[]): Promise<Added[]> {
  if (batch.length === 0) return [];
  await requireTestRoom(context, batch.length);
  const rows = batch.map(({ bookingDate, valueDate, amount, ...texts }) =>
    context.db.row('BankTransaction', {
      ...texts,
      bookingDate: new Date(bookingDate),
      valueDate: valueDate === null ? null : new Date(valueDate),
      amount,
      amountOpen: amount,
      // A transaction of zero can't pay anything.
      ...(new Decimal(amount).isZero() && { matchStatus: 'MATCHED' }),
    }),
  );
  // Lists are ordered by id: the last transaction of the file is the newest.
  const ids = rows.map(({ id }) => id).toSorted();
  const inOrder = rows.map((row, at) => ({ ...row, id: ids[at] ?? row.id }));
  const written = await context.db.insertNew('BankTransaction', inOrder, ['identity']);
  const added = inOrder.filter(({ id }) => written.has(id));
  if (added.length === 0) return [];
  // New transactions have no matches yet.
  const events = await renderEvents(
    context,
    added.map((row) => ['bank_transaction.created', { ...row, payments: [] }]),
  );
  await context.insert({ Event: events.map((event) => event.row) });
  const names = new Map(inOrder.map(({ id }, at) => [id, batch[at]?.names ?? []]));
  return added.map(({ id, amount }) => ({ id, names: names.get(id) ?? [], isSent: amount.isNegative() }));
}

/** The ids of the transactions that name an open invoice, a booked receipt, or a credit note. */
async function namingOpen(context: Context, added: Added[]): Promise<string[]> {
  const named = (isSent: boolean): string[] => [
    ...new Set(added.filter((each) => each.isSent === isSent).flatMap(({ names }) => names)),
  ];
  const open = await findNumbersOfOpen(context, { numbers: named(false), words: named(true) });
  return added.filter(({ names }) => names.some((name) => open.has(name))).map(({ id }) => id);
}

/** How many transactions are matched with one set of queries. */
const matchBatchSize = 100;

/**
 * Matches new transactions that certainly pay an invoice or receipt, or refund a credit note. Runs last, so that invoices aren't
 * locked while the file is written. The documents that they pay are locked in the order of match(). If several transactions would pay the
 * same one, the first transaction does.
 */
async function matchCertain(context: Context, ids: string[]): Promise<number> {
  const findLocked = await holdPeriodLocks(context);
  const matches: ExactMatch[] = [];
  for (let start = 0; start < ids.length; start += matchBatchSize) {
    const where = { id: { in: ids.slice(start, start + matchBatchSize) } };
    const rows = await context.db.bankTransaction.findMany({ where, orderBy: { id: 'asc' } });
    const certain = await findCertain(context, rows);
    for (const [at, { id, bookingDate }] of rows.entries())
      if (certain[at]) matches.push({ transaction: { id, bookingDate }, suggestion: certain[at] });
    context.responseSize?.forgetRead();
  }
  // A late row is kept, and stays unmatched.
  const matched = await makeExactMatches(context, choosePayers(matches, findLocked));
  return matched.length;
}
