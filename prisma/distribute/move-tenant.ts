import type { Pool, PoolClient } from 'pg';
import { takeAdvisoryLock } from '../connection/advisory-lock.ts';
import { isDistributed, hasCitus } from './distributed.ts';
import { LockWatch } from '../connection/lock-waits.ts';
import { forceSecurity, liftSecurity } from './forced-security.ts';

/** An arbitrary number that nothing else in the database uses as an advisory lock. The session that moves holds it. */
const moveLock = 0x6d6f7665;

export interface Move {
  tenantId: string;
  /** The `nodeid` of the worker to move to. */
  to: number;
  /**
   * Gives the tenant a shard of its own first, while its shard's tenants can't write. Otherwise the other ones move with it.
   */
  isAlone: boolean;
}

interface Place {
  id: number;
  host: string;
  port: number;
}

const placeSql = `
  select nodeid as id, nodename as host, nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
  where shardid = get_shard_id_for_distribution_column('customers', $1::uuid) and noderole = 'primary'`;
const workers = `
  select nodeid as id, nodename as host, nodeport as port from pg_dist_node
  where groupid <> 0 and noderole = 'primary' and isactive order by nodeid`;

/**
 * Moves a tenant's rows to another worker of a Citus cluster while requests go on. The tables' security for their owner is lifted
 * meanwhile.
 * @param pool must have two connections
 * @param signal ends the move; nothing is moved then
 * @returns whether there was something to do
 * @throws Error of one line
 */
export async function moveTenant(
  pool: Pool,
  { tenantId, to, isAlone }: Move,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!(await hasCitus(pool)) || !(await isDistributed(pool))) throw new Error('The books are not distributed.');
  if ((await pool.query('select from tenants where id = $1', [tenantId])).rowCount === 0)
    throw new Error(`There is no tenant ${tenantId}.`);
  const nodes = (await pool.query<Place>(workers)).rows;
  const target = nodes.find(({ id }) => id === to);
  if (!target) throw new Error(`The workers are ${nodes.map(({ id }) => id).join(', ')}, by nodeid in pg_dist_node.`);
  const here = (await pool.query<Place>(placeSql, [tenantId])).rows[0];
  if (!here) throw new Error('The shard of the tenant was not found.');
  if (here.id === to && !isAlone) return false;
  const watch = new LockWatch(pool, report);
  try {
    await withMoveLock(pool, async (client, pid) => {
      const abort = (): void => void pool.query('select pg_cancel_backend($1)', [pid]).catch(() => {});
      report('lifting row-level security from the owner');
      await liftSecurity(pool, watch);
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abort, { once: true });
      try {
        await move(client, { tenantId, isAlone }, here, target, report);
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    });
  } finally {
    await forceSecurity(pool, watch);
    report('forced row-level security on the owner');
  }
  return true;
}

async function move(
  client: PoolClient,
  { tenantId, isAlone }: Pick<Move, 'tenantId' | 'isAlone'>,
  from: Place,
  to: Place,
  report: (line: string) => void,
): Promise<void> {
  if (isAlone) {
    // PostgreSQL 15.20 doesn't load the plugin by which Citus 13.2 would split a shard online.
    await client.query(
      `select isolate_tenant_to_new_shard('customers', $1::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`,
      [tenantId],
    );
    report('gave the tenant a shard of its own');
  }
  if (from.id === to.id) return;
  await client.query(
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('customers', $1::uuid), $2, $3, $4, $5, 'force_logical')`,
    [tenantId, from.host, from.port, to.host, to.port],
  );
  report(`moved from the worker ${from.id} to ${to.id}`);
}

/** Waits for a move whose process was killed: its session ends it. */
export async function restoreSecurity(pool: Pool, report: (line: string) => void): Promise<string[]> {
  const watch = new LockWatch(pool, report);
  return withMoveLock(pool, () => forceSecurity(pool, watch));
}

async function withMoveLock<Result>(
  pool: Pool,
  work: (client: PoolClient, pid: number) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await takeAdvisoryLock(client, moveLock);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return await work(client, rows[0]?.pid ?? 0);
  } finally {
    client.release(true); // the lock goes with the connection
  }
}
