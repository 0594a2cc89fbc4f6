import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool, PoolConfig } from 'pg';
import { BooksPool } from './books.ts';
import { retryContended } from './contention.ts';
import { Prisma, PrismaClient } from './generated/client/client.ts';
import type { Pooled } from './pooler.ts';
import { PreparedNames } from './prepared.ts';
import { Reader } from './reads/reader.ts';

export { BooksPool } from './books.ts';
export { isContention, retryContended } from './contention.ts';
export { violatedCheck, type NewRow, type Row, type Rows } from './insert.ts';
export type { RowLock } from './reads/reader.ts';
export { forTenant, queueUp, takeTurn, tenantModels, type Db, type TenantClient } from './door.ts';
export { Prisma };
export type * from './generated/client/client.ts';

/** The client of identity and operations in `src/`, for all tables but the books'; the domain only gets forTenant(). */
export type UnscopedClient = PrismaClient;

/** Concurrent writers queue for row locks (invoice numbers, say); they should wait rather than fail. */
const transactionOptions = { maxWait: 15_000, timeout: 15_000 };

/** What PostgreSQL fills in for its own use isn't read. */
const omitted = { searchText: true } as const;
const generated = {
  customer: omitted,
  invoice: omitted,
  receipt: omitted,
  project: omitted,
  bankTransaction: omitted,
};

/** How many statements a connection keeps prepared: some 50 kB each. */
const mostPrepared = 250;

/** @param names for those of its statements that PostgreSQL is to keep prepared: whose token it is takes 50 µs, not 425 */
export function connect(pool: Pool, names?: PreparedNames): UnscopedClient {
  const client = prismaOn(pool, names);
  const begin = client.$transaction.bind(client) as (...args: unknown[]) => Promise<unknown>;
  // Identity's transactions do nothing else that couldn't be done twice.
  const beginRetried = (...args: unknown[]): Promise<unknown> => retryContended(() => begin(...args));
  return Object.assign(client, { $transaction: beginRetried }) as UnscopedClient;
}

function prismaOn(pool: Pool, names = new PreparedNames(mostPrepared)): PrismaClient {
  const adapter = new PrismaPg(pool, {
    // As in Statement.isPlannedOnce: of a pattern or a range, the values decide which index serves.
    statementNameGenerator: ({ sql }) => (/LIKE|[<>]/.test(sql) ? '' : names.of(sql)),
  });
  return new PrismaClient({ adapter, transactionOptions, omit: generated }) as unknown as UnscopedClient;
}

/** All tenants' books, each behind forTenant(). */
export interface Books {
  readonly pool: Pool;
  /** Useless but in a tenant's name: see BooksPool. */
  readonly client: PrismaClient;
  readonly reader: Reader;
  close(): Promise<void>;
}

export function openBooks(config: PoolConfig, pooled: Pooled = 'session'): Books {
  const names = new PreparedNames(pooled === 'session' ? mostPrepared : 0);
  return booksOn(new BooksPool(config, pooled, names), names);
}

export function booksOn(pool: Pool, names = new PreparedNames(mostPrepared)): Books {
  const client = prismaOn(pool, names);
  return {
    pool,
    client,
    reader: new Reader(names),
    close: async () => {
      await client.$disconnect();
      await pool.end();
    },
  };
}
