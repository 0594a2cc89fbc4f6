import type { ClientBase, Pool, QueryConfig, QueryResult } from 'pg';
import { ActingConnection } from './sender.ts';

/**
 * How long a connection stays with one server process: for the whole `session`; or, behind a pooler in transaction mode,
 * for one `transaction`. In that case, session state (a role, a tenant, a prepared statement) could reach other clients.
 */
export type Pooled = 'session' | 'transaction';

/** A connection behind such a pooler: no statement is kept under its name. (pgbouncer before 1.21 loses them.) */
export class UnnamedStatements extends ActingConnection {
  protected override async send(statement: QueryConfig): Promise<QueryResult> {
    return super.send(withoutName(statement));
  }
}

export const withoutName = (statement: QueryConfig): QueryConfig => ({ ...statement, name: undefined });

/** The id of the server process, as reported when the connection was opened. A pooler reports an invented one. */
export const getProcess = (client: ClientBase): number => (client as ClientBase & { processID: number }).processID;

export const poolerProblem = 'DATABASE_URL leads through a pooler: set DATABASE_DIRECT_URL to PostgreSQL itself.';

/** Whether a pool's connections go through a pooler, of any mode. */
export async function isPooled(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid !== getProcess(client);
  } finally {
    client.release();
  }
}
