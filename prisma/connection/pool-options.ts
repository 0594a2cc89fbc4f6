import type { ClientBase, Pool, PoolConfig } from 'pg';

// Timeouts and session settings. A database that hangs, or that the network has lost, never answers: callers must not
// wait for it for ever.

/** Timeouts of a pool, in milliseconds: to get a connection, and until a statement is answered. */
export const poolTimeouts = {
  connectionTimeoutMillis: 5000,
  query_timeout: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} satisfies PoolConfig;

/**
 * Timeouts of the server, which would otherwise work on for a client that has gone, or keep its locks. The time zone: Prisma's
 * adapter reads every time as UTC. No parallel workers: a tenant's share is counted in connections, so each may take one
 * processor only. And statements aren't compiled, which takes seconds for a report where its tables have few rows.
 */
const sessionSettings = `
  select set_config('statement_timeout', '9s', false), set_config('idle_in_transaction_session_timeout', '60s', false),
    set_config('timezone', 'UTC', false), set_config('max_parallel_workers_per_gather', '0', false),
    set_config('jit', 'off', false)`;

/** For a pool whose connections stay with one server process. (pgbouncer takes no settings with the connection.) */
export const applySessionSettings = async (client: ClientBase): Promise<void> =>
  void (await client.query(sessionSettings));

/**
 * For work that takes long, such as a migration: what the operator limits for all sessions of a role or database is meant for
 * requests. PostgreSQL has the last of these since version 17.
 */
export const liftTimeouts = async (client: ClientBase): Promise<void> =>
  void (await client.query(`
    select set_config(name, '0', false) from pg_settings where name in
      ('statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')`));

/** A connection that breaks while idle is replaced at the next query; one that breaks in use fails that query. */
export function replaceBrokenConnections(pool: Pool): void {
  pool.on('error', () => {}).on('connect', (connection) => connection.on('error', () => {}));
}
