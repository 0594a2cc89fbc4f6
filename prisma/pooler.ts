import { callbackify } from 'node:util';
import { escapeLiteral, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { Connection } from './connection.ts';

/**
 * How long a connection stays with one server process: for the whole `session`; or, behind a pooler in transaction mode,
 * for one `transaction`. In that case, session state (a role, a tenant, a prepared statement) could reach other clients.
 */
export type Pooled = 'session' | 'transaction';

/** A connection behind such a pooler: no statement is kept under its name. (pgbouncer before 1.21 loses them.) */
export class UnnamedStatements extends Connection {
  protected override send(statement: string | QueryConfig, ...rest: unknown[]): unknown {
    return super.send(typeof statement === 'string' ? statement : { ...statement, name: undefined }, ...rest);
  }
}

/**
 * A connection to the books behind such a pooler. A transaction is one tenant's from its first statement to its last;
 * a statement outside of one gets its own. Role and tenant end with it, so that nothing is left for the next client.
 *
 * Beginning, statement and end are sent together (the pool sets `pipeline`): one way there and back, as without.
 */
export class TenantTransactions extends UnnamedStatements {
  /** The tenant of the next transaction. */
  tenantId = '';

  protected override execute(statement: string | QueryConfig, ...rest: unknown[]): unknown {
    if (this.getTransactionStatus() !== 'I') return this.send(statement, ...rest);
    const begin = `begin; set local role kontor_books; set local kontor.tenant_id = ${escapeLiteral(this.tenantId)}`;
    const { text } = typeof statement === 'string' ? { text: statement } : statement;
    if (/^begin$/i.test(text)) return this.send(begin);

    const values = rest.find(Array.isArray);
    const done = resultOf([this.send(begin), this.send(statement, values), this.send('commit')] as Sent);
    const callback = rest.find((each) => typeof each === 'function');
    return callback ? callbackify(() => done)(callback as Callback) : done;
  }
}

type Sent = [Promise<QueryResult>, Promise<QueryResult>, Promise<QueryResult>];
type Callback = (error: Error | null, result: QueryResult | undefined) => void;

/** The statement's own result, once all have been answered. @throws the error of the first that has one */
async function resultOf(sent: Sent): Promise<QueryResult> {
  await Promise.allSettled(sent);
  const [, result] = await Promise.all(sent);
  return result;
}

/** The id of the server process, as reported when the connection was opened. A pooler reports an invented one. */
export const processOf = (client: PoolClient): number => (client as PoolClient & { processID: number }).processID;

export const poolerFault = 'DATABASE_URL leads through a pooler: set DATABASE_DIRECT_URL to PostgreSQL itself.';

/** Whether a pool's connections go through a pooler, of any mode. */
export async function isPooled(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid !== processOf(client);
  } finally {
    client.release();
  }
}
