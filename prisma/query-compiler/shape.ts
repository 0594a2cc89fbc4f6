/** Placeholder for a value of a condition, which is not part of a query's shape. `at` is its index among the values. */
export class Parameter {
  readonly at: number;
  constructor(at: number) {
    this.at = at;
  }
}

type Part = Record<string, unknown>;

/**
 * A query's shape: its arguments without the values in its conditions. Queries that differ only in values have the same
 * shape. Appends the values to `values`, in the order in which parametrized() numbers them.
 */
export function buildShape(query: object, values: unknown[]): string {
  let shape = '{';
  // Not `for in`, for which V8 compiles this again and again: queries are objects of many classes.
  for (const name of Object.keys(query)) {
    const part = (query as Part)[name];
    if (part === undefined) continue;
    if (conditions.has(name)) shape += `${name}:${shapeCondition(name, part, values)},`;
    else shape += `${name}:${typeof part === 'object' && part !== null ? buildShape(part, values) : String(part)},`;
  }
  return `${shape}}`;
}

function shapeCondition(name: string, part: unknown, values: unknown[]): string {
  if (part === null) return 'null';
  if (isValue(name, part)) {
    values.push(part);
    return '?';
  }
  if (typeof part !== 'object') return String(part);
  let shape = '{';
  for (const each of Object.keys(part)) {
    const inner = (part as Part)[each];
    if (inner !== undefined) shape += `${each}:${shapeCondition(each, inner, values)},`;
  }
  return `${shape}}`;
}

/** The same query with a Parameter in place of each value. */
export function parametrized<Query extends object>(query: Query, count = { of: 0 }, within = false): Query {
  const entries = Object.entries(query).filter(([, part]) => part !== undefined);
  const result = entries.map(([name, part]) => {
    const inside = within || conditions.has(name);
    if (inside && part !== null && isValue(name, part)) return [name, new Parameter(count.of++)];
    return [name, typeof part === 'object' && part !== null ? parametrized(part, count, inside) : part];
  });
  return Array.isArray(query) ? (result.map(([, part]) => part) as unknown as Query) : Object.fromEntries(result);
}

/** The arguments whose values are not part of the shape. */
const conditions = new Set(['where', 'cursor', 'skip']);

const lists = new Set(['AND', 'OR', 'NOT']);

function isValue(name: string, part: unknown): boolean {
  if (name === 'mode') return part !== 'insensitive' && part !== 'default' && part !== 'folded';
  if (name === 'skip') return part !== 0;
  if (typeof part !== 'object') return true;
  if (Array.isArray(part)) return !lists.has(name) && !/^\d+$/.test(name);
  return !isPlain(part);
}

/** Whether a value is a plain object, not a Date, a Decimal or bytes. GraphQL's input objects have no prototype. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
