import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool, PoolConfig } from 'pg';
import type { Workers } from './distribute/workers.ts';
import type { ConnectionPool } from './connection/connection.ts';
import { LongReads } from './tenant/long-reads.ts';
import { TenantPool, type Requester } from './tenant/pool.ts';
import type { PooledConnection } from './tenant/pooled-connection.ts';
import { retryContended } from './connection/transaction-retry.ts';
import { Prisma, PrismaClient } from './generated/client/client.ts';
import type { Pooled } from './connection/pooler.ts';
import { PreparedStatementNames } from './connection/prepared-statement-names.ts';
import { delegateName, tables } from './tables.ts';
import { QueryCompiler } from './query-compiler/query-compiler.ts';

export { asActor, currentSender, encodeActor, inOperation, withSender, type Actor } from './connection/sender.ts';
export { isPlain } from './query-compiler/shape.ts';
export { TenantPool } from './tenant/pool.ts';
export { isContention, isLockTimeout, retryContended, retryFailed } from './connection/transaction-retry.ts';
export {
  isConnectionLost,
  isOutOfTime,
  isUnavailable,
  isUnwritable,
  UnavailableError,
} from './connection/unavailable.ts';
export {
  isTaken,
  violatedCheck,
  violatedConstraint,
  type ModelWith,
  type NewRow,
  type Row,
  type Rows,
} from './insert.ts';
export type { Group, GroupsQuery } from './query-compiler/groups.ts';
export type { RowLock } from './query-compiler/query-compiler.ts';
export { withHolder, type Holder } from './tenant/holder.ts';
export { forTenant, tenantModels, type Db, type ModelDelegate, type TenantClient } from './tenant/client.ts';
export type { DeferredInserts } from './tenant/deferred-inserts.ts';
export { delegateName, getTable as tableOf, type Column } from './tables.ts';
export { countedRows } from './row-counts.ts';
export { Prisma };
export type * from './generated/client/client.ts';

/** The client of identity and operations in `src/`, for all tables but the tenants'; the domain only gets forTenant(). */
export type UnscopedClient = PrismaClient;

/** Concurrent writers queue for row locks (invoice numbers, say); they should wait rather than fail. */
const transactionOptions = { maxWait: 15_000, timeout: 15_000 };

/** Columns that aren't read unless a query names them. */
const omittedColumns: Prisma.GlobalOmitConfig = Object.fromEntries(
  [...tables.values()].flatMap(({ model, fields }) => {
    const omitted = [...fields.values()].filter((field) => field.kind === 'column' && field.isOmitted);
    return omitted.length > 0
      ? [[delegateName(model), Object.fromEntries(omitted.map(({ name }) => [name, true]))]]
      : [];
  }),
);

/** How many statements a connection keeps prepared: some 50 kB each. */
const maxPreparedStatements = 250;

/** @param names names for the statements that PostgreSQL keeps prepared, such as the lookup of a token */
export function connect(pool: Pool, names?: PreparedStatementNames): UnscopedClient {
  const client = prismaOn(pool, names);
  const begin = client.$transaction.bind(client) as (...args: unknown[]) => Promise<unknown>;
  // Identity's transactions have no other effects, so they can be retried.
  const beginRetried = (...args: unknown[]): Promise<unknown> => retryContended(() => begin(...args));
  return Object.assign(client, { $transaction: beginRetried }) as UnscopedClient;
}

function prismaOn(pool: Pool, names = new PreparedStatementNames(maxPreparedStatements)): PrismaClient {
  const adapter = new PrismaPg(pool, { statementNameGenerator: names.ofQuery });
  return new PrismaClient({ adapter, transactionOptions, omit: omittedColumns }) as unknown as UnscopedClient;
}

/** A TenantPool, or one without its limits and without row-level security, to measure what these cost. */
export interface TenantConnections extends ConnectionPool {
  acquire(tenantId: string, requester: Requester): Promise<PooledConnection>;
}

/** The tenants' tables, accessible through forTenant(). */
export interface Books {
  readonly pool: TenantConnections;
  readonly longReads: LongReads;
  /** Works only inside asTenant(): see TenantPool. Created when it is first needed, as it takes much memory. */
  readonly client: PrismaClient;
  readonly queryCompiler: QueryCompiler;
  readonly statementNames: PreparedStatementNames;
  close(): Promise<void>;
}

export function openBooks(config: PoolConfig, pooled: Pooled = 'session', workers?: Workers): Books {
  const names = new PreparedStatementNames(pooled === 'session' ? maxPreparedStatements : 0);
  return booksOn(new TenantPool(config, pooled, names, workers), names);
}

export function booksOn(pool: TenantConnections, names = new PreparedStatementNames(maxPreparedStatements)): Books {
  let client: PrismaClient | undefined;
  return {
    pool,
    longReads: new LongReads(),
    get client() {
      client = prismaOn(pool, names);
      Object.defineProperty(this, 'client', { value: client });
      return client;
    },
    queryCompiler: new QueryCompiler(names),
    statementNames: names,
    close: async () => {
      await client?.$disconnect();
      await pool.end();
    },
  };
}
