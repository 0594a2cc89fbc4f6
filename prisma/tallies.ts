import type { QueryConfig } from 'pg';
import type { Prisma } from './generated/client/client.ts';

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

/** What a total is the sum of, as values for totalAt(). */
export type Total = [resource: string, state: string | null];

/** A total as SQL, with the tenant's id as $1, its first value at this place and its second at the next. */
export const totalAt = (place: number): string => `select coalesce(sum(rows), 0)::int as total from tallies
  where tenant_id = $1 and resource = $${place} and ($${place + 1}::text is null or state = $${place + 1})`;

/**
 * What count() asks, where there are tallies: it adds them up, and of 1,000,000 rows as of one: 0.05 ms of
 * PostgreSQL's time, not 30. Undefined where the rows themselves are to be counted.
 */
export function totalOf(model: Prisma.ModelName, query: { where?: object }): Total | undefined {
  const { where = {}, ...others } = query;
  const tallies = Object.keys(others).length === 0 ? talliesOf(model, where) : undefined;
  return tallies && [tallies.resource, tallies.state];
}

export const totalAlone = (tenantId: string, total: Total): QueryConfig => ({
  name: 'total',
  text: totalAt(2),
  values: [tenantId, ...total],
});
