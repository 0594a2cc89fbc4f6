import type { Pool } from 'pg';
import { hasCitus } from '../distribute/distributed.ts';

/**
 * Tables that the worker reads by ids, a batch at a time, while they grow fast. Others are read a page at a time: for these
 * PostgreSQL has to know which tenants are large.
 */
const tables = ['webhooks', 'events', 'deliveries', 'delivery_attempts'];

/** Before version 17 the default is -1. */
const counted = `
  select relname as name from pg_attribute join pg_class on pg_class.oid = attrelid
  where relnamespace = 'public'::regnamespace and relname = any ($1) and attname = 'tenant_id'
    and coalesce(attstattarget, -1) <> 0`;

/**
 * Keeps the sizes of tenants out of PostgreSQL's statistics of some tables. It counts them now and then: of a tenant that is new,
 * or grows fast, it believes that there is one row, and reads all of that tenant's rows where it needs a few. Without a count, it
 * takes each tenant for a two-hundredth of a table, whatever its size.
 *
 * On a cluster of Citus the statistics stay: a shard has few tenants.
 */
export async function ignoreTenantSizes(pool: Pool): Promise<void> {
  const found = await findCountedTables(pool);
  if (found.length === 0) return;
  const { rows } = await pool.query<{ canForget: boolean }>(
    `select to_regproc('pg_catalog.pg_clear_attribute_stats') is not null as "canForget"`,
  );
  for (const table of found) {
    await pool.query(`alter table "${table}" alter column tenant_id set statistics 0`);
    // Before version 18, PostgreSQL keeps what it has counted until a dump is restored.
    if (rows[0]?.canForget)
      await pool.query(`select pg_clear_attribute_stats('public', $1, 'tenant_id', false)`, [table]);
  }
}

/** The tables that ignoreTenantSizes() has yet to change. */
export async function findCountedTables(pool: Pool): Promise<string[]> {
  if (await hasCitus(pool)) return [];
  const { rows } = await pool.query<{ name: string }>(counted, [tables]);
  return rows.map(({ name }) => name);
}
