import type { Client, ClientBase, Pool, PoolConfig } from 'pg';

// A database that hangs, or that the network has lost, says nothing for ever. Nobody who asks should wait that long.

/** For a pool's connections: milliseconds to get one, and until a statement is answered. */
export const patience = {
  connectionTimeoutMillis: 5000,
  query_timeout: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} satisfies PoolConfig;

/**
 * The same for the server, which would work on for a client that has gone, or keep what it has locked. And its time zone:
 * Prisma's adapter takes every time for one in UTC.
 */
const sessionSettings = `
  select set_config('statement_timeout', '9s', false), set_config('idle_in_transaction_session_timeout', '60s', false),
    set_config('timezone', 'UTC', false)`;

/** For a pool whose connections stay with one process of the server. (pgbouncer takes no settings with the connection.) */
export const settle = async (client: ClientBase): Promise<void> => void (await client.query(sessionSettings));

/**
 * A connection that breaks while idle is replaced at the next query; one that breaks in use fails that query. So does
 * one that falls silent: its answer may still come, and be taken for another's.
 */
export function replaceBroken(pool: Pool): void {
  pool
    .on('error', () => {})
    .on('connect', (connection) => {
      connection.on('error', () => {});
      breakOnSilence(connection);
    });
}

/** pg leaves a connection open that a statement timed out on: it is in use for good, and a transaction waits for it. */
export function breakOnSilence(connection: Client): void {
  const breakIfSilent = (error: Error): void => {
    if (error.message === 'Query read timeout') connection.connection.stream.destroy();
  };
  const ofItsKind = Object.getPrototypeOf(connection) as { query: (...args: never[]) => unknown };
  connection.query = (...args: never[]): never => {
    const result = ofItsKind.query.apply(connection, args);
    if (result instanceof Promise) result.catch(breakIfSilent);
    return result as never;
  };
}
