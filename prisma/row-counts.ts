import type { Prisma } from './generated/client/client.ts';
import { placeholder, type CompilerState } from './query-compiler/conditions.ts';
import { Parameter } from './query-compiler/shape.ts';
import { findType } from './query-compiler/values.ts';
import { resources, type Resource } from './resources.ts';
import { getTable, type Column } from './tables.ts';

/** Triggers count the rows of each resource's table as they are written (the migrations' count_rows()). */
const countedResources = new Map<Prisma.ModelName, Resource>(resources.map((resource) => [resource.model, resource]));

/** The column by whose value a resource's rows are counted; null where there is none. */
export const getStateColumn = (resource: Resource): string | null => getColumn(resource)?.column ?? null;

function getColumn({ model, state }: Resource): Column | undefined {
  const field = state === null ? undefined : getTable(model).fields.get(state);
  return field?.kind === 'column' ? field : undefined;
}

/**
 * The maintained counts that answer a count(), as SQL with the tenant's id as $1: they are added up in constant time,
 * whatever the table's size. Undefined where the rows themselves have to be counted: if there is a condition on anything but
 * the state.
 * @param where with Parameters in place of values
 */
export function maintainedCount(compiler: CompilerState, model: Prisma.ModelName, where: object): string | undefined {
  const counted = countedResources.get(model);
  const [condition, ...others] = Object.entries(where);
  if (!counted || others.length > 0) return undefined;
  const sum = `select coalesce(sum(rows), 0)::int as total from row_counts
    where tenant_id = $1 and resource = '${getTable(model).table}'`;
  if (!condition) return sum;
  const [field, value] = condition as [string, unknown];
  const column = getColumn(counted);
  if (column?.name !== field || !(value instanceof Parameter)) return undefined;
  return `${sum} and state = ${placeholder(compiler, value, findType(column).encode)}`;
}
