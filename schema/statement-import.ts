import { queueUp, type BankTransaction, type Prisma } from '../prisma/client.ts';
import type { Context } from './context.ts';
import { emitAll } from './events.ts';
import { lockPayable, match } from './matching.ts';
import { withOccurrence } from './statements/identity.ts';
import { readStatement, type StatementOptions, type StatementTransaction } from './statements/statement.ts';
import { certainly, namingSomething, type Suggestion } from './suggestion.ts';

/** Rows written at once. More are hardly faster, and Prisma keeps its last 100 statements for its debug log. */
const batchSize = 100;
/** A file is imported in one transaction, however long that takes; 100,000 entries take a minute or two. */
export const importLimits = { timeout: 60 * 60 * 1000 };

export interface ImportResult {
  /** Transactions that were new. */
  imported: number;
  /** Transactions that were there already. */
  skipped: number;
  /** New ones that paid something for certain, and were matched by themselves. */
  matched: number;
  /** What is odd about the file: balances that don't add up, say. */
  warnings: string[];
}

/**
 * Imports a bank statement: the whole of it or nothing. A transaction that was imported before, from this file or
 * another, is skipped (decisions, 8); one that certainly pays something is matched with it. A tenant's imports queue
 * up: two files that overlap would wait for each other's rows.
 * @throws StatementError saying where the file can't be read, and why
 */
export async function importStatement(
  context: Context,
  file: AsyncIterable<Uint8Array>,
  options: Omit<StatementOptions, 'warn'>,
): Promise<ImportResult> {
  return context.transaction(async (inside) => {
    await queueUp(inside.db, context.tenant.id, 'statement import');
    const result: ImportResult = { imported: 0, skipped: 0, matched: 0, warnings: [] };
    const identify = withOccurrence();
    const naming: string[] = [];
    let batch: Prisma.BankTransactionCreateManyInput[] = [];
    const write = async (): Promise<void> => {
      const rows = await writeBatch(inside, batch);
      result.imported += rows.length;
      result.skipped += batch.length - rows.length;
      naming.push(...(await namingSomething(inside, rows)).map(({ id }) => id));
      batch = [];
    };
    const statement = readStatement(file, { ...options, warn: (warning) => result.warnings.push(warning) });
    for await (const transaction of statement) {
      batch.push(rowOf(transaction, identify(transaction)));
      if (batch.length === batchSize) await write();
    }
    if (batch.length > 0) await write();
    result.matched = await matchCertain(inside, naming);
    return result;
  }, importLimits);
}

const rowOf = (transaction: StatementTransaction, identity: string): Prisma.BankTransactionCreateManyInput => ({
  ...transaction,
  amountOpen: transaction.amount,
  // Nothing is left to be paid from nothing.
  ...(transaction.amount.isZero() && { matchStatus: 'MATCHED' }),
  identity,
});

async function writeBatch(context: Context, data: Prisma.BankTransactionCreateManyInput[]): Promise<BankTransaction[]> {
  const rows = await context.db.bankTransaction.createManyAndReturn({ data, skipDuplicates: true });
  // They pay nothing yet.
  await emitAll(
    context,
    rows.map((row) => ['bank_transaction.created', { ...row, payments: [] }]),
  );
  return rows;
}

/**
 * Matches those of new transactions that certainly pay something. Comes last, so that what is paid isn't locked for as
 * long as the file is read; and locks in the order of ids, as match() does. Of several that would pay the same, the
 * first does.
 */
async function matchCertain(context: Context, ids: string[]): Promise<number> {
  const payers = new Map<string, { id: string; pays: Suggestion }>();
  for (let start = 0; start < ids.length; start += batchSize) {
    const where = { id: { in: ids.slice(start, start + batchSize) } };
    for (const row of await context.db.bankTransaction.findMany({ where, orderBy: { id: 'asc' } })) {
      const pays = await certainly(context, row);
      if (pays && !payers.has(pays.id)) payers.set(pays.id, { id: row.id, pays });
    }
  }
  let matched = 0;
  for (const { id, pays } of [...payers.values()].toSorted((a, b) => (a.pays.id < b.pays.id ? -1 : 1))) {
    // Somebody may have paid it meanwhile.
    const target = await lockPayable(context, pays);
    if (!target?.due.equals(pays.amount)) continue;
    await match(context, id, [pays]);
    matched += 1;
  }
  return matched;
}
