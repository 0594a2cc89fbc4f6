import { tableOf, type Prisma, type UnscopedClient } from '../../prisma/client.ts';
import type { Database } from './database.ts';

/** From so many new rows on, statistics are made of them. */
export const manyRows = 5000;

/** The models whose rows may be written with those of others. */
const parts: Partial<Record<Prisma.ModelName, readonly Prisma.ModelName[]>> = {
  Invoice: ['InvoiceItem', 'InvoiceParties', 'Payment'],
  Receipt: ['ReceiptLine', 'Payment'],
  BankTransaction: ['Payment'],
};

/** The models whose tables are written when rows of some models are. */
export const withParts = (models: readonly Prisma.ModelName[]): Prisma.ModelName[] =>
  models.flatMap((model) => [model, ...(parts[model] ?? [])]);

/**
 * Has PostgreSQL make statistics of tables that very many rows were written to. Without them it plans badly for these rows'
 * tenant, until it makes them by itself: in a minute, or where other tenants have far more rows, much later. A table of which
 * statistics are being made is left out.
 * @param tenantId whose rows were written
 */
export async function analyze(
  { pool, workers }: Pick<Database, 'pool' | 'workers'>,
  tenantId: string,
  models: readonly Prisma.ModelName[],
): Promise<void> {
  const tables = models.map((model) => tableOf(model).table);
  if (await workers.analyze(tenantId, tables)) return;
  for (const table of tables) await pool.query(`analyze (skip_locked) ${table}`);
}

/** A job that calls analyze(). */
export const analyzeTask = 'analyze_tables';

export interface AnalyzePayload {
  tenantId: string;
  models: Prisma.ModelName[];
}

/** A request with an Idempotency-Key commits its import together with the stored response, a moment later. */
const delayMs = 1000;

/**
 * Adds the job that makes statistics of what a tenant has just written, if these are very many rows. All of these jobs are in one
 * queue, so that one table is read at a time. Those of a tenant's imports that follow each other closely become one.
 */
export async function analyzeSoon(
  client: UnscopedClient,
  tenantId: string,
  models: readonly Prisma.ModelName[],
  count: number,
): Promise<void> {
  if (count < manyRows) return;
  const payload: AnalyzePayload = { tenantId, models: withParts(models) };
  const key = `${analyzeTask} ${tenantId} ${models.join()}`;
  await client.$executeRaw`
    select graphile_worker.add_job(${analyzeTask}, ${JSON.stringify(payload)}::json, queue_name => ${analyzeTask}, job_key => ${key},
      run_at => now() + ${delayMs} * interval '1 ms', max_attempts => 3)`;
}
