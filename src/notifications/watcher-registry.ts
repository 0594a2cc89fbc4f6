import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
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
 * tables, for their triggers.
 * @param onLost is called when rows are gone: triggers may have found no watcher
 */
export function rowRegistry(connection: Client, onLost: () => void): WatcherRegistry {
  const connectionId = randomUUID();
  const ids = new Set<string>();
  let beating = false;

  async function beat(): Promise<void> {
    if (beating || ids.size === 0) return;
    beating = true;
    const expected = ids.size;
    try {
      const { rowCount } = await connection.query('update watchers set seen_at = now() where connection_id = $1', [
        connectionId,
      ]);
      if ((rowCount ?? 0) < expected) onLost();
    } catch {
      // A server doesn't answer. The rows stay where they are, or are missed at the next heartbeat.
    } finally {
      beating = false;
    }
  }

  const timer = setInterval(() => void beat(), beatMs).unref();
  connection.once('end', () => clearInterval(timer));
  return {
    add: async (tenantId, channel) => {
      const id = randomUUID();
      await connection.query(
        `insert into watchers (tenant_id, id, channel, connection_id, seen_at) values ($1, $2, $3, $4, now())`,
        [tenantId, id, channel, connectionId],
      );
      ids.add(id);
      return () => {
        ids.delete(id);
        connection.query('delete from watchers where tenant_id = $1 and id = $2', [tenantId, id]).catch(() => {});
      };
    },
    close: async () => {
      clearInterval(timer);
      await connection.query('delete from watchers where connection_id = $1', [connectionId]).catch(() => {});
    },
  };
}
