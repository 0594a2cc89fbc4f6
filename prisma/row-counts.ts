import type { QueryConfig } from 'pg';
import type { Prisma } from './generated/client/client.ts';
import { resources, type Resource } from './resources.ts';
import { tableOf } from './tables.ts';

/** Triggers count the rows of each resource's table as they are written (the migrations' tally()). */
const countedResources = new Map<Prisma.ModelName, Resource>(resources.map((resource) => [resource.model, resource]));

/** The column by whose value a resource's rows are counted; null where there is none. */
export function stateColumnOf({ model, state }: Resource): string | null {
  const field = state === null ? undefined : tableOf(model).fields.get(state);
  return field?.kind === 'column' ? field.column : null;
}

/** The rows of a table in one state, or all of them (null). */
interface CountedRows {
  resource: string;
  state: string | null;
}

/** The maintained counts that answer a condition: on no field, or on the state alone. Undefined for any other. */
function countedRowsOf(model: Prisma.ModelName, where: object): CountedRows | undefined {
  const counted = countedResources.get(model);
  if (!counted) return undefined;
  const resource = tableOf(model).table;
  const [condition, ...others] = Object.entries(where).filter(([, value]) => value !== undefined);
  if (!condition) return { resource, state: null };
  const [field, value] = condition;
  if (others.length > 0 || field !== counted.state || typeof value !== 'string') return undefined;
  return { resource, state: value.toLowerCase() }; // as all our enums are in the database
}

/** The maintained counts that a total adds up, as parameters of totalSql(). */
export type Total = [resource: string, state: string | null];

/** A total as SQL, with the tenant's id as $1, its first parameter at this index and its second at the next. */
export const totalSql = (index: number): string => `select coalesce(sum(rows), 0)::int as total from tallies
  where tenant_id = $1 and resource = $${index} and ($${index + 1}::text is null or state = $${index + 1})`;

/**
 * The maintained counts that answer a count(): they are added up in constant time, whatever the table's size. Undefined
 * where the rows themselves have to be counted.
 */
export function totalOf(model: Prisma.ModelName, query: { where?: object }): Total | undefined {
  const { where = {}, ...others } = query;
  const tallies = Object.keys(others).length === 0 ? countedRowsOf(model, where) : undefined;
  return tallies && [tallies.resource, tallies.state];
}

export const totalQuery = (tenantId: string, total: Total): QueryConfig => ({
  name: 'total',
  text: totalSql(2),
  values: [tenantId, ...total],
});
