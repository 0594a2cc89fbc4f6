import type { Prisma } from '../prisma/client.ts';
import type { Context } from './context.ts';
import { emitAll } from './events.ts';
import { match } from './matching.ts';
import { withOccurrence } from './statements/identity.ts';
import { readStatement, type StatementOptions, type StatementTransaction } from './statements/statement.ts';
import { namingSomething, suggest } from './suggestion.ts';

/** Rows written at once. */
const batchSize = 500;
/** A file is imported in one transaction, however long that takes; 100,000 entries take some minutes. */
const limits = { timeout: 60 * 60 * 1000 };

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
 * another, is skipped (decisions, 8); one that certainly pays something is matched with it.
 * @throws StatementError saying where the file can't be read, and why
 */
export async function importStatement(
  context: Context,
  file: AsyncIterable<Uint8Array>,
  options: Omit<StatementOptions, 'warn'>,
): Promise<ImportResult> {
  const warnings: string[] = [];
  return context.transaction(async (inside) => {
    const result: ImportResult = { imported: 0, skipped: 0, matched: 0, warnings };
    const identify = withOccurrence();
    let batch: Prisma.BankTransactionCreateManyInput[] = [];
    const write = async (): Promise<void> => {
      const { imported, matched } = await writeBatch(inside, batch);
      result.imported += imported;
      result.skipped += batch.length - imported;
      result.matched += matched;
      batch = [];
    };
    const statement = readStatement(file, { ...options, warn: (warning) => warnings.push(warning) });
    for await (const transaction of statement) {
      batch.push(rowOf(transaction, identify(transaction)));
      if (batch.length === batchSize) await write();
    }
    if (batch.length > 0) await write();
    return result;
  }, limits);
}

const rowOf = (transaction: StatementTransaction, identity: string): Prisma.BankTransactionCreateManyInput => ({
  ...transaction,
  amountOpen: transaction.amount,
  // Nothing is left to be paid from nothing.
  ...(transaction.amount.isZero() && { matchStatus: 'MATCHED' }),
  identity,
});

async function writeBatch(
  context: Context,
  batch: Prisma.BankTransactionCreateManyInput[],
): Promise<{ imported: number; matched: number }> {
  const rows = await context.db.bankTransaction.createManyAndReturn({ data: batch, skipDuplicates: true });
  await emitAll(
    context,
    'bank_transaction.created',
    rows.map(({ id }) => id),
  );
  let matched = 0;
  for (const row of await namingSomething(context, rows)) {
    // One by one: what is due changes with each.
    const [best, ...others] = (await suggest(context, row)).filter(({ certain }) => certain);
    if (!best || others.length > 0) continue;
    await match(context, row.id, [{ type: best.type, id: best.id }]);
    matched += 1;
  }
  return { imported: rows.length, matched };
}
