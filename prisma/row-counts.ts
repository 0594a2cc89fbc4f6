import type { Prisma } from './generated/client/client.ts';
import { placeholder, type CompilerState } from './query-compiler/conditions.ts';
import { Parameter } from './query-compiler/shape.ts';
import { findType } from './query-compiler/values.ts';
import { getTable, type Column } from './tables.ts';

/**
 * The models whose rows triggers count as they are written (the migrations' count_rows()). Each has the field by whose value
 * its rows are counted, beside counting all of them; null where there is none.
 */
export const countedRows = {
  Customer: 'type',
  Invoice: 'status',
  CreditNote: null,
  Receipt: 'status',
  Project: 'status',
  TimeEntry: null,
  BankAccount: null,
  BankTransaction: 'matchStatus',
  Payment: null,
} as const satisfies Partial<Record<Prisma.ModelName, string | null>>;

const stateFields = new Map<Prisma.ModelName, string | null>(
  Object.entries(countedRows) as [Prisma.ModelName, string | null][],
);

/** The column by whose value a model's rows are counted; null where there is none. */
export const getStateColumn = (model: Prisma.ModelName): string | null => getColumn(model)?.column ?? null;

function getColumn(model: Prisma.ModelName): Column | undefined {
  const state = stateFields.get(model);
  const field = state == null ? undefined : getTable(model).fields.get(state);
  return field?.kind === 'column' ? field : undefined;
}

const operators: Record<string, string> = { equals: '=', not: '<>' };

/**
 * The maintained counts that answer a count(), as SQL with the tenant's id as $1: they are added up in constant time,
 * whatever the table's size. Undefined where the rows themselves have to be counted: if there is a condition on anything but
 * the state.
 * @param where with Parameters in place of values
 */
export function maintainedCount(compiler: CompilerState, model: Prisma.ModelName, where: object): string | undefined {
  if (!stateFields.has(model)) return undefined;
  const column = getColumn(model);
  const ofStates = flatten(where).flatMap(([field, part]): (string | undefined)[] => {
    if (column?.name !== field || part === null) return [undefined];
    const comparisons = part instanceof Parameter ? { equals: part } : (part as Record<string, unknown>);
    return Object.entries(comparisons).map(([name, value]) => {
      const operator = operators[name];
      if (!operator || !(value instanceof Parameter)) return undefined;
      return ` and state ${operator} ${placeholder(compiler, value, findType(column).encode)}`;
    });
  });
  if (ofStates.includes(undefined)) return undefined;
  return `select coalesce(sum(rows), 0)::int as total from row_counts
    where tenant_id = $1 and resource = '${getTable(model).table}'${ofStates.join('')}`;
}

/** The conditions that all must hold, by their fields. */
const flatten = (where: object): [field: string, part: unknown][] =>
  Object.entries(where).flatMap(([name, part]: [string, unknown]) =>
    name === 'AND' && Array.isArray(part) ? part.flatMap(flatten) : [[name, part] as [string, unknown]],
  );
