import type { Pool } from 'pg';
import { tableOf, type Prisma } from '../../prisma/client.ts';

/**
 * Has PostgreSQL make statistics of tables that very many rows were written to. Without them it plans badly for these rows'
 * tenant, until it makes them by itself: in a minute, or where other tenants have far more rows, much later. A table of which
 * statistics are being made is left out.
 */
export async function analyze(pool: Pool, models: readonly Prisma.ModelName[]): Promise<void> {
  for (const model of models) await pool.query(`analyze (skip_locked) ${tableOf(model).table}`);
}
