import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool, PoolConfig } from 'pg';
import { asTenant, BooksPool } from './books.ts';
import { Prisma, PrismaClient } from './generated/client/client.ts';
import {
  asPrismaError,
  insertion,
  isInsertion,
  newRow,
  type Insertion,
  type NewRow,
  type Row,
  type Rows,
} from './insert.ts';
import { lookups } from './lookups.ts';
import type { Pooled } from './pooler.ts';
import { totals } from './tallies.ts';

export { Prisma };
export type { NewRow, Row, Rows };
export type * from './generated/client/client.ts';

/** The client of identity and operations in `src/`, for all tables but the books'; the domain only gets forTenant(). */
export type UnscopedClient = PrismaClient;

/** Concurrent writers queue for row locks (invoice numbers, say); they should wait rather than fail. */
const transactionOptions = { maxWait: 15_000, timeout: 15_000 };

export function connect(pool: Pool): UnscopedClient {
  return new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
}

/** All tenants' books, each behind forTenant(). */
export interface Books {
  readonly pool: Pool;
  /** Useless but in a tenant's name: see BooksPool. */
  readonly client: PrismaClient;
  close(): Promise<void>;
}

export function openBooks(config: PoolConfig, pooled: Pooled = 'session'): Books {
  const pool = new BooksPool(config, pooled);
  const client = connect(pool);
  return {
    pool,
    client,
    close: async () => {
      await client.$disconnect();
      await pool.end();
    },
  };
}

/** The tables of the books: exactly those whose primary key begins with tenant_id (a test compares). */
export const tenantModels: ReadonlySet<Prisma.ModelName> = new Set([
  'Customer',
  'Invoice',
  'InvoiceItem',
  'InvoiceSequence',
  'Receipt',
  'Project',
  'TimeEntry',
  'BankTransaction',
  'Payment',
  'Event',
  'Webhook',
  'Delivery',
  'DeliveryAttempt',
  'StoredAnswer',
  'Tally',
]);

/**
 * The one door to tenant data: a client that can't see or write another tenant's rows. Every statement names the
 * tenant; relations stay inside it because every foreign key carries tenant_id; and row-level security holds where all
 * of that should fail. Identity's tables are refused, and raw SQL but for queueUp(), takeTurn(), insert() and $rows().
 */
export function forTenant({ client, pool }: Books, tenantId: string): TenantClient {
  let scopedClient: ScopedClient | undefined; // 150 µs, that not everybody needs
  // Outside of transactions a statement is one by itself: it need not go through Prisma.
  const own = {
    insert: async (rows: Rows): Promise<void> => {
      await asTenant(tenantId, () => pool.query(scopedInsertion(tenantId, rows))).catch(rethrow);
    },
    $rows: (sql: string, values: unknown[]) => rowsOf(pool, tenantId, sql, values),
  };
  return new Proxy({} as TenantClient, {
    get(_target, name) {
      if (name in own) return own[name as keyof typeof own];
      const target = (scopedClient ??= scopedTo(client, pool, tenantId));
      if (name !== '$transaction') return Reflect.get(target, name);
      // Prisma begins a batch in the surroundings of whichever query was the first of its tick, whoever's that was.
      return (work: () => Promise<unknown>, limits?: object) => {
        if (typeof work !== 'function') throw new Error('A transaction of the books is a function');
        return asTenant(tenantId, () => target.$transaction(work, limits));
      };
    },
  });
}

async function rowsOf(pool: Pool, tenantId: string, sql: string, values: unknown[]): Promise<unknown[]> {
  if (!sql.includes('tenant_id = $1')) throw new Error('The statement does not name the tenant');
  return (await asTenant(tenantId, () => pool.query(sql, [tenantId, ...values]))).rows;
}

function scopedTo(client: PrismaClient, pool: Pool, tenantId: string) {
  return client.$extends({
    name: 'tenant',
    // Typed as Prisma's own, which these stand in for.
    model: { $allModels: { ...lookups(), ...totals(client, pool, tenantId) } as {} },
    client: {
      /** A row of the tenant's in full, not written yet. */
      row: <Of extends Prisma.ModelName>(model: Of, data: NewRow<Of>): Row<Of> => newRow(tenantId, model, data),
      /** Writes rows by one statement: all of them or none, those that refer to each other too. */
      async insert(rows: Rows): Promise<void> {
        const { text, values } = scopedInsertion(tenantId, rows);
        const inside = Prisma.getExtensionContext(this) as unknown as Pick<PrismaClient, '$executeRawUnsafe'>;
        await inside.$executeRawUnsafe(text, ...values).catch(rethrow);
      },
    },
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          requireBooks(model);
          return asTenant(tenantId, async () => await query(scoped(operation, args, tenantId)));
        },
      },
      $queryRaw: ({ args, query }) => (args.sql === turnSql ? query(args) : refuseRaw()),
      $executeRaw: ({ args, query }) => (args.sql === queueSql ? query(args) : refuseRaw()),
      $queryRawUnsafe: refuseRaw,
      $executeRawUnsafe: ({ args, query }) => (isInsertion(args, tenantId) ? query(args) : refuseRaw()),
    },
  });
}

type ScopedClient = ReturnType<typeof scopedTo>;

export interface TenantClient extends ScopedClient {
  /**
   * The rows of a statement of our own: for what Prisma has no words for, or too many. It names the tenant as `$1`, which
   * the door fills in. It is planned anew each time, so that no plan outlives the size of its tables, and is a
   * transaction by itself.
   */
  $rows<Row>(sql: string, values: unknown[]): Promise<Row[]>;
}

function requireBooks(model: string): void {
  if (!tenantModels.has(model as Prisma.ModelName)) throw new Error(`${model} is not a table of the books`);
}

function scopedInsertion(tenantId: string, rows: Rows): Insertion {
  Object.keys(rows).forEach(requireBooks);
  return insertion(tenantId, rows);
}

const queue = (tenantId: string, what: string) =>
  Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`${tenantId} ${what}`}, 0))`;
const queueSql = queue('', '').sql;

/**
 * Lets one of the tenant's transactions at a time do `what`: waits for those before it to end. With takeTurn() and
 * insert(), the only raw SQL that passes the tenant door, as Prisma has no words for a lock.
 */
export async function queueUp(db: Db, tenantId: string, what: string): Promise<void> {
  await db.$executeRaw(queue(tenantId, what));
}

const turn = (tenantId: string, what: string) =>
  Prisma.sql`select pg_try_advisory_xact_lock(hashtextextended(${`${tenantId} ${what}`}, 0)) as taken`;
const turnSql = turn('', '').sql;

/** The same without waiting: whether no other transaction is at `what`, so that this one may be. */
export async function takeTurn(db: Db, tenantId: string, what: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ taken: boolean }[]>(turn(tenantId, what));
  return row?.taken === true;
}

/** A tenant's client, inside a transaction or not. */
export type Db = Omit<
  TenantClient,
  '$rows' | '$extends' | '$transaction' | '$disconnect' | '$connect' | '$on' | '$use'
>;

function rethrow(error: unknown): never {
  throw asPrismaError(error);
}

function refuseRaw(): never {
  throw new Error('Raw SQL does not pass the tenant door');
}

const uniqueOperations = new Set(['findUnique', 'findUniqueOrThrow', 'update', 'delete', 'upsert']);

function scoped<Args>(operation: string, args: Args, tenantId: string): Args {
  const result = withKeys(args ?? {}, tenantId) as Record<string, unknown>;
  if (!uniqueOperations.has(operation) && !operation.startsWith('create')) {
    result['where'] = { AND: [result['where'] ?? {}, { tenantId }] };
  }
  for (const key of ['data', 'create', 'update']) {
    const rows = result[key];
    if (Array.isArray(rows)) result[key] = rows.map((row) => withTenant(row, tenantId));
    else if (rows) result[key] = withTenant(rows, tenantId);
  }
  return result as Args;
}

/**
 * Every unique key is composite, as `{ tenantId_id: { tenantId, id } }`. Wherever one names a row (`where`, a cursor, a
 * nested connect), it names the tenant's. The tenant goes inside the key rather than beside it: Prisma makes an upsert
 * one atomic statement only when `where` is nothing but the key.
 */
function withKeys(part: unknown, tenantId: string): unknown {
  if (Array.isArray(part)) return part.map((each) => withKeys(each, tenantId));
  if (!isPlain(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      name.startsWith('tenantId_') ? withTenant(value, tenantId) : withKeys(value, tenantId),
    ]),
  );
}

/** Whether it is an object literal's like, rather than a Date, a Decimal or bytes. GraphQL's have no prototype. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function withTenant(part: unknown, tenantId: string): object {
  return { ...(part as object | undefined), tenantId };
}
