import {
  joinWithAnd,
  compileConditions,
  compileFrom,
  fold,
  folded,
  getName,
  ofTenant,
  placeholder,
  addSource,
  type CompilerState,
  type Source,
} from './conditions.ts';
import { isPlain } from './shape.ts';
import { getIndexedFields, getSortedFields, getTable, type Column, type Relation, type Table } from '../tables.ts';
import { UnsupportedQuery } from './values.ts';

type Query = Record<string, unknown>;

/**
 * The clauses of a statement for a page of rows, from `from` on. Where PostgreSQL has to sort rows, or to join them with others to
 * find them, it does so with their ids only, and reads the page's rows afterwards: all that it finds wouldn't fit into memory as
 * whole rows.
 * @param joins those of the rows' selected fields
 */
export function compilePage(state: CompilerState, source: Source, window: Query, joins: string[]): string {
  const { where = {}, orderBy, take } = window;
  const { table } = source;
  const [first] = [orderBy ?? []].flat().flatMap((part) => Object.keys(part as Query));
  const isSorted = first === 'id' || getSortedFields(table.model).has(first ?? '');
  if (take === undefined || first === undefined || !table.fields.has('id') || (isSorted && !isJoined(table, where)))
    return compileClauses(state, source, [ofTenant(source)], window, joins);
  const found = addSource(state, table.model);
  const restricted = isSorted ? undefined : compileSortedFirst(state, found, window);
  const clauses = restricted ?? compileClauses(state, found, [ofTenant(found)], window, []);
  return [
    `from (select ${found.alias}."id" ${clauses}) page`,
    `join ${compileFrom(source)} on ${ofTenant(source)} and ${source.alias}."id" = page."id"`,
    ...joins,
    `order by ${compileOrder(source, orderBy).join(', ')}`,
  ].join(' ');
}

/**
 * Sorts the rows before it joins those of other tables, which it looks up until the page is full. PostgreSQL itself would
 * join first, all rows of the other table included. It still does where it expects few of those rows.
 * @returns undefined where no condition leaves less to sort, or an index finds the other table's rows: then these may be the
 *   better beginning
 */
function compileSortedFirst(state: CompilerState, found: Source, window: Query): string | undefined {
  const { table } = found;
  const { where = {}, orderBy, ...limits } = window;
  const parts = listParts(where);
  const related = parts.filter((part) => isJoined(table, part));
  const own = parts.filter((part) => !related.includes(part));
  const relations = related.map((part) => findScanned(table, part));
  if (own.length === 0 || relations.length === 0 || relations.includes(undefined)) return undefined;

  const sorted = addSource(state, table.model);
  const clauses = compileClauses(state, sorted, [ofTenant(sorted)], { where: { AND: own }, orderBy }, []);
  const names = new Set([
    'id',
    ...[orderBy].flat().flatMap((part) => Object.keys(part as Query)),
    // Joined tables have the tenant from $1.
    ...relations
      .flatMap((relation) => relation?.here.map(({ name }) => name) ?? [])
      .filter((name) => name !== 'tenantId'),
  ]);
  const columns = [...names].map((name) => getName(sorted, table.fields.get(name) as Column));
  const rows = `(select ${columns.join(', ')} ${clauses}) ${found.alias}`;
  return compileClauses(state, found, [], { where: { AND: related }, orderBy, ...limits }, [], rows);
}

/** The conditions that must all hold, each alone. */
const listParts = (where: unknown): Query[] =>
  Object.entries(where as Query).flatMap(([name, part]) =>
    name === 'AND' ? [part].flat().flatMap(listParts) : [{ [name]: part }],
  );

/** The relation of a condition on one related row that no index of its table finds; undefined for any other condition. */
function findScanned(table: Table, part: Query): Relation | undefined {
  const [[name = '', related] = []] = Object.entries(part);
  const field = table.fields.get(name);
  if (field?.kind !== 'relation' || field.isList || typeof related !== 'object' || !related) return undefined;
  const indexed = getIndexedFields(field.model);
  const other = getTable(field.model);
  const isScanned = listParts(related).every((each) =>
    Object.keys(each).every((key) => other.fields.get(key)?.kind === 'column' && !indexed.has(key)),
  );
  return isScanned ? field : undefined;
}

/** Whether a condition looks at rows of other tables, which then are joined. */
const isJoined = (table: Table, where: unknown): boolean =>
  Object.entries(where as Query).some(([name, part]) => {
    if (name === 'AND' || name === 'OR' || name === 'NOT') return [part].flat().some((each) => isJoined(table, each));
    const field = table.fields.get(name);
    return field?.kind === 'relation' && !field.isList;
  });

/**
 * A statement's clauses, from `from` on.
 * @param from the rows that the source's alias names, if they aren't those of its table
 */
export function compileClauses(
  state: CompilerState,
  source: Source,
  restrictions: string[],
  window: Query,
  joins: string[],
  from = compileFrom(source),
): string {
  const { where = {}, orderBy, take, skip = 0, ...others } = window;
  if (Object.keys(others).length > 0) throw new UnsupportedQuery();
  const conditions = [...restrictions, ...compileConditions(state, source, where, joins)];
  // Prisma's default order where the query has none.
  const byKey = take === undefined ? [] : source.table.primaryKey.map(({ name }) => ({ [name]: 'asc' }));
  const order = compileOrder(source, orderBy ?? byKey);
  for (const each of order) state.ranges.delete(each.slice(0, each.lastIndexOf(' ')));
  // A literal, not a parameter: PostgreSQL takes it into account when it plans.
  if (take !== undefined && !(Number.isInteger(take) && (take as number) >= 0)) throw new UnsupportedQuery();
  return [
    `from ${from}`,
    ...joins,
    `where ${joinWithAnd(conditions)}`,
    order.length > 0 ? `order by ${order.join(', ')}` : '',
    take === undefined ? '' : `limit ${String(take)}`,
    skip === 0 ? '' : `offset ${placeholder(state, skip, String)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function compileOrder(source: Source, orderBy: unknown): string[] {
  return [orderBy].flat().flatMap((part) =>
    Object.entries(part as Query).map(([name, order]) => {
      const field = source.table.fields.get(name);
      const { sort, mode, ...others } = (isPlain(order) ? order : { sort: order }) as Query;
      if (field?.kind !== 'column' || (sort !== 'asc' && sort !== 'desc')) throw new UnsupportedQuery();
      if ((mode !== undefined && mode !== folded) || Object.keys(others).length > 0) throw new UnsupportedQuery();
      const column = getName(source, field);
      return `${mode === folded ? fold(column) : column} ${sort}`;
    }),
  );
}
