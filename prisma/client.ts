import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { Prisma, PrismaClient } from './generated/client/client.ts';

export { Prisma };
export type * from './generated/client/client.ts';

/** The client that sees everything. For identity and operations in `src/`; the domain only gets forTenant(). */
export type UnscopedClient = PrismaClient;

/** Concurrent writers queue for row locks (invoice numbers, say); they should wait rather than fail. */
const transactionOptions = { maxWait: 15_000, timeout: 15_000 };

export function connect(pool: pg.Pool): UnscopedClient {
  return new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
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
]);

/**
 * The one door to tenant data: a client that can't see or write another tenant's rows. Every statement names the
 * tenant; relations stay inside it because every foreign key carries tenant_id. Raw SQL and identity's tables are
 * refused.
 */
export function forTenant(client: UnscopedClient, tenantId: string) {
  return client.$extends({
    name: 'tenant',
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          if (!tenantModels.has(model)) throw new Error(`${model} is not a table of the books`);
          return query(scoped(operation, args, tenantId));
        },
      },
      $queryRaw: refuseRaw,
      $executeRaw: refuseRaw,
      $queryRawUnsafe: refuseRaw,
      $executeRawUnsafe: refuseRaw,
    },
  });
}

export type TenantClient = ReturnType<typeof forTenant>;
/** A tenant's client, inside a transaction or not. */
export type Db = Omit<TenantClient, '$extends' | '$transaction' | '$disconnect' | '$connect' | '$on' | '$use'>;

function refuseRaw(): never {
  throw new Error('Raw SQL does not pass the tenant door');
}

const uniqueOperations = new Set(['findUnique', 'findUniqueOrThrow', 'update', 'delete', 'upsert']);

function scoped<Args>(operation: string, args: Args, tenantId: string): Args {
  const result: Record<string, unknown> = { ...(args as object) };
  if (uniqueOperations.has(operation)) {
    // Every unique key is composite, as `{ tenantId_id: { tenantId, id } }`. The tenant goes inside it rather than
    // beside it: Prisma makes an upsert one atomic statement only when `where` is nothing but the key.
    result['where'] = Object.fromEntries(
      Object.entries(result['where'] as object).map(([key, value]) => [
        key,
        key.startsWith('tenantId_') ? withTenant(value, tenantId) : value,
      ]),
    );
  } else if (!operation.startsWith('create')) {
    result['where'] = withTenant(result['where'], tenantId);
  }
  for (const key of ['data', 'create', 'update']) {
    const rows = result[key];
    if (Array.isArray(rows)) result[key] = rows.map((row) => withTenant(row, tenantId));
    else if (rows) result[key] = withTenant(rows, tenantId);
  }
  return result as Args;
}

function withTenant(part: unknown, tenantId: string): object {
  return { ...(part as object | undefined), tenantId };
}
