import { randomUUID } from 'node:crypto';
import { escapeLiteral, type Client } from 'pg';
import type { Workers } from '../../prisma/distribute/workers.ts';
import type { NotificationChannel } from '../../schema/graphql/context.ts';

/**
 * Where triggers see that somebody watches a channel of a tenant (is_watched). NOTIFY makes commits wait for each other, so
 * triggers announce nothing without a watcher.
 */
export interface WatcherRegistry {
  /**
   * Adds a watcher. A transaction that looks for watchers after this finds it.
   * @returns a function that removes it
   */
  add(tenantId: string, channel: NotificationChannel): Promise<() => void>;
  /** Removes all watchers. */
  close(): Promise<void>;
}

const lock = `hashtextextended($1 || ' ' || $2, 0)`;

/** A watcher is a shared advisory lock. It goes with its connection. */
export const lockRegistry = (connection: Client): WatcherRegistry => ({
  add: async (tenantId, channel) => {
    await connection.query(`select pg_advisory_lock_shared(${lock})`, [tenantId, channel]);
    return () =>
      void connection.query(`select pg_advisory_unlock_shared(${lock})`, [tenantId, channel]).catch(() => {});
  },
  close: async () => {},
});

const beatMs = 5000;
/** A watcher whose process hasn't been heard of for this long is deleted by a worker. */
export const watcherTimeoutSeconds = 30;

/**
 * A watcher is a row of `watchers`, for several servers: these have no locks in common. The row stands beside the tenant's
 * tables, for their triggers. Each of Citus' workers has statements of its own, so that none waits for another one.
 * @param connection listens, and ends the registry when it ends
 * @param onLost is called with tenants whose rows are gone: triggers may have found no watcher
 */
export function rowRegistry(
  connection: Client,
  workers: Workers,
  onLost: (tenantIds: readonly string[]) => void,
): WatcherRegistry {
  const connectionId = randomUUID();
  /** By the id of the watcher. */
  const tenants = new Map<string, string>();
  const beating = new Set<number | undefined>();
  /** Deletions that are under way. */
  const leaving = new Set<Promise<unknown>>();

  async function beat(worker: number | undefined, tenantIds: string[]): Promise<void> {
    if (beating.has(worker) || (worker !== undefined && workers.isAway(worker))) return;
    beating.add(worker);
    const expected = [...tenants].filter(([, tenantId]) => tenantIds.includes(tenantId)).map(([id]) => id);
    try {
      const { rowCount } = await workers
        .poolOf(worker)
        .query(`update watchers set seen_at = now() where ${isOneOf(tenantIds)} and connection_id = $1`, [
          connectionId,
        ]);
      if ((rowCount ?? 0) < expected.filter((id) => tenants.has(id)).length) onLost(tenantIds);
    } catch {
      // A server doesn't answer. The rows stay where they are, or are missed at the next heartbeat.
      if (worker !== undefined) workers.check(worker);
    } finally {
      beating.delete(worker);
    }
  }

  async function beatAll(): Promise<void> {
    for (const [worker, tenantIds] of await workers.group(new Set(tenants.values()))) void beat(worker, tenantIds);
  }

  const timer = setInterval(() => void beatAll().catch(() => {}), beatMs).unref();
  connection.once('end', () => clearInterval(timer));
  return {
    add: async (tenantId, channel) => {
      const id = randomUUID();
      const worker = await workers.find(tenantId);
      const pool = workers.poolOf(worker);
      const answered = workers.waitFor(worker);
      await pool
        .query(`insert into watchers (tenant_id, id, channel, connection_id, seen_at) values ($1, $2, $3, $4, now())`, [
          tenantId,
          id,
          channel,
          connectionId,
        ])
        .finally(answered);
      tenants.set(id, tenantId);
      return () => {
        tenants.delete(id);
        const left = pool
          .query('delete from watchers where tenant_id = $1 and id = $2', [tenantId, id])
          .catch(() => {})
          .finally(() => leaving.delete(left));
        leaving.add(left);
      };
    },
    close: async () => {
      clearInterval(timer);
      const groups = await workers.group(new Set(tenants.values())).catch(() => []);
      const deleted = [...groups].map(async ([worker, tenantIds]) => {
        if (worker !== undefined && workers.isAway(worker)) return;
        const pool = workers.poolOf(worker);
        await pool.query(`delete from watchers where ${isOneOf(tenantIds)} and connection_id = $1`, [connectionId]);
      });
      await Promise.allSettled([...deleted, ...leaving]);
    },
  };
}

/** Named in the statement's text: by them Citus finds the servers that it needs. */
const isOneOf = (tenantIds: readonly string[]): string => `tenant_id in (${tenantIds.map(escapeLiteral).join(', ')})`;
