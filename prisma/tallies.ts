import type { Pool } from 'pg';
import { asTenant } from './books.ts';
import { Prisma, type PrismaClient } from './generated/client/client.ts';

/**
 * What is counted as it is written (the migrations' tally() is what does it): by model, its table, and the field that
 * says what state a row is in, if one does.
 */
const tallied: Partial<Record<Prisma.ModelName, { resource: string; state?: string }>> = {
  Customer: { resource: 'customers', state: 'type' },
  Invoice: { resource: 'invoices', state: 'status' },
  Receipt: { resource: 'receipts', state: 'status' },
  Project: { resource: 'projects', state: 'status' },
  TimeEntry: { resource: 'time_entries' },
  BankTransaction: { resource: 'bank_transactions', state: 'matchStatus' },
};

/** The rows of a table; those in one state, or all. */
interface Tallies {
  resource: string;
  state: string | null;
}

/** Which tallies count the rows that a condition asks for: those of all rows or of one state. Undefined for any other. */
function talliesOf(model: Prisma.ModelName, where: object): Tallies | undefined {
  const { resource, state } = tallied[model] ?? {};
  if (!resource) return undefined;
  const [condition, ...others] = Object.entries(where).filter(([, value]) => value !== undefined);
  if (!condition) return { resource, state: null };
  const [field, value] = condition;
  if (others.length > 0 || field !== state || typeof value !== 'string') return undefined;
  return { resource, state: value.toLowerCase() }; // as all our enums are in the database
}

const sum = (tenantId: string, { resource, state }: Tallies) =>
  Prisma.sql`select coalesce(sum(rows), 0)::int as total from tallies
    where tenant_id = ${tenantId}::uuid and resource = ${resource} and (${state}::text is null or state = ${state})`;

/** As much of a model of Prisma's as is needed here. */
interface Model {
  aggregate(args: object): Promise<{ _count: { _all: number } }>;
}

/**
 * count() for one tenant: exact, like Prisma's own, in which a list's total costs as much as the list is long. Where
 * there are tallies it adds them up instead, and of 1,000,000 rows as of one.
 */
export const totals = (client: PrismaClient, pool: Pool, tenantId: string) => ({
  async count(this: Model, args: { where?: object } = {}): Promise<number> {
    const { $name, $parent } = Prisma.getExtensionContext(this) as unknown as {
      $name: Prisma.ModelName;
      $parent: PrismaClient;
    };
    const { where = {}, ...others } = args;
    const tallies = Object.keys(others).length === 0 ? talliesOf($name, where) : undefined;
    if (!tallies) return (await this.aggregate({ ...args, _count: { _all: true } }))._count._all;

    const query = sum(tenantId, tallies);
    const inTransaction = $parent !== client;
    const rows = await asTenant(tenantId, async () =>
      inTransaction
        ? await $parent.$queryRaw<{ total: number }[]>(query)
        : (await pool.query<{ total: number }>({ name: 'total', text: query.text, values: query.values })).rows,
    );
    return rows[0]?.total ?? 0;
  },
});
