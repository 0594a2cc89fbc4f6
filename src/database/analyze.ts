import { tableOf, type Prisma } from '../../prisma/client.ts';
import type { Database } from './database.ts';

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
