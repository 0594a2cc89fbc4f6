import type { Client, Pool } from 'pg';

/** Whether `kontor distribute` has distributed the books over several servers. The database must have been migrated. */
export async function isDistributed(database: Pool | Client): Promise<boolean> {
  const { rows } = await database.query<{ distributed: boolean }>('select is_distributed() as distributed');
  return rows[0]?.distributed === true;
}

/** Has triggers and processes work as on several servers. Does nothing the second time. */
export async function declareDistributed(pool: Pool): Promise<void> {
  await pool.query(
    `create or replace function is_distributed() returns boolean language sql immutable parallel safe as 'select true'`,
  );
}

/** Whether the database is one of a Citus cluster. */
export async function hasCitus(pool: Pool): Promise<boolean> {
  return (await pool.query(`select from pg_extension where extname = 'citus'`)).rowCount === 1;
}

/** Whether the database is on a worker of a Citus cluster, instead of its coordinator. */
export async function isWorker(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(`select where to_regclass('pg_dist_local_group') is not null`);
  return rowCount === 1 && (await pool.query('select from pg_dist_local_group where groupid > 0')).rowCount === 1;
}

/**
 * Settings for a transaction that changes distributed tables. Citus accepts a trigger of one only if asked to, and several
 * changes of shards in one transaction only one by one.
 */
export const forCitus = `set local citus.enable_unsafe_triggers = on; set local citus.multi_shard_modify_mode = 'sequential'`;
