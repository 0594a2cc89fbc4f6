import {
  allOf,
  compileConditions,
  compileFrom,
  joinConditions,
  joinRelation,
  getName,
  ofTenant,
  placeholder,
  addSource,
  type CompilerState,
  type Source,
} from './conditions.ts';
import { buildDecoder, type Field, type Raw } from './decode.ts';
import type { Prisma } from '../generated/client/client.ts';
import { parametrized } from './shape.ts';
import { getSortedFields, type Column, type Relation, type Table } from '../tables.ts';
import { maintainedCount } from '../row-counts.ts';
import { UnsupportedQuery, findType, type Encode } from './values.ts';

/** The statement for every query of a shape. */
export interface Statement {
  /** The tenant's id is $1; the query's values follow, in the order that buildShape() finds them in. */
  text: string;
  encode: Encode[];
  /**
   * Whether PostgreSQL may plan it once for all values. False if the best index depends on the values: for a pattern, and
   * for a range of a column that the query isn't ordered by.
   */
  isPlannedOnce: boolean;
}

/** Reads rows: related rows are joined, lists of them aggregated as JSON. */
export interface RowsStatement extends Statement {
  decode: (row: Raw) => object;
}

type Query = Record<string, unknown>;

/** A select list while it is compiled. */
interface Selection {
  columns: string[];
  joins: string[];
  /** Whether its rows end up in JSON. */
  isJson: boolean;
}

/**
 * Compiles the arguments of findMany(). With `total`, the last column of each row is how many rows satisfy its `where`. It sees
 * no values of conditions, only their placeholders.
 * @throws UnsupportedQuery where only Prisma can run the query
 */
export function compileStatement(model: Prisma.ModelName, query: object): RowsStatement {
  const state = newState();
  const source = addSource(state, model);
  const rows: Selection = { columns: [], joins: [], isJson: false };
  const { select, include, omit, total, ...window } = parametrized(query) as Query;
  const fields = compileFields(state, source, { select, include, omit }, rows);
  const clauses = compilePage(state, source, window, rows);
  const columns = total ? [...rows.columns, `(${compileCountQuery(state, model, total as Query)})`] : rows.columns;
  return {
    text: `select ${columns.join(', ')} ${clauses}`,
    encode: state.encode,
    decode: buildDecoder(fields),
    isPlannedOnce: isPlannedOnce(state),
  };
}

/**
 * Compiles the arguments of count(), of which it knows `where`.
 * @throws UnsupportedQuery where only Prisma can run the query
 */
export function compileCount(model: Prisma.ModelName, query: object): Statement {
  const state = newState();
  const text = compileCountQuery(state, model, parametrized(query) as Query);
  return { text, encode: state.encode, isPlannedOnce: isPlannedOnce(state) };
}

function compileCountQuery(state: CompilerState, model: Prisma.ModelName, { where = {}, ...others }: Query): string {
  if (Object.keys(others).length > 0) throw new UnsupportedQuery();
  const maintained = maintainedCount(state, model, where as object);
  if (maintained) return maintained;
  const source = addSource(state, model);
  const noRows: Selection = { columns: [], joins: [], isJson: false };
  return `select count(*)::int as total ${compileClauses(state, source, [ofTenant(source)], { where, orderBy: [] }, noRows)}`;
}

export const newState = (): CompilerState => ({
  aliases: 0,
  joined: new Map(),
  ranges: new Set(),
  hasPattern: false,
  encode: [],
});

export const isPlannedOnce = ({ ranges, hasPattern }: CompilerState): boolean => ranges.size === 0 && !hasPattern;

const maxArguments = 100; // of a function in PostgreSQL

/** The rows of a list, each as an array, as one JSON array; null if there are none. */
function compileList(
  state: CompilerState,
  here: Source,
  relation: Relation,
  query: Query,
): { sql: string; fields: Field[] } {
  const source = addSource(state, relation.model);
  const rows: Selection = { columns: [], joins: [], isJson: true };
  const { select, include, omit, ...window } = query;
  const fields = compileFields(state, source, { select, include, omit }, rows);
  if (rows.columns.length > maxArguments) throw new UnsupportedQuery();
  const clauses = compileClauses(state, source, joinConditions(here, relation, source), window, rows);
  return {
    sql: `(select json_agg(row) from (select json_build_array(${rows.columns.join(', ')}) as row ${clauses}) l)`,
    fields,
  };
}

/**
 * The clauses of a statement for a page of rows. Where PostgreSQL has to sort rows, or to join them with others to find them, it
 * does so with their ids only, and reads the page's rows afterwards: all that it finds wouldn't fit into memory as whole rows.
 */
function compilePage(state: CompilerState, source: Source, window: Query, rows: Selection): string {
  const { where = {}, orderBy, take } = window;
  const { table } = source;
  const [first] = [orderBy ?? []].flat().flatMap((part) => Object.keys(part as Query));
  const isSorted = first === 'id' || getSortedFields(table.model).has(first ?? '');
  if (take === undefined || first === undefined || !table.fields.has('id') || (isSorted && !isJoined(table, where)))
    return compileClauses(state, source, [ofTenant(source)], window, rows);
  const found = addSource(state, table.model);
  const ids: Selection = { columns: [], joins: [], isJson: false };
  return [
    `from (select ${found.alias}."id" ${compileClauses(state, found, [ofTenant(found)], window, ids)}) page`,
    `join ${compileFrom(source)} on ${ofTenant(source)} and ${source.alias}."id" = page."id"`,
    ...rows.joins,
    `order by ${compileOrder(source, orderBy).join(', ')}`,
  ].join(' ');
}

/** Whether a condition looks at rows of other tables, which then are joined. */
const isJoined = (table: Table, where: unknown): boolean =>
  Object.entries(where as Query).some(([name, part]) => {
    if (name === 'AND' || name === 'OR' || name === 'NOT') return [part].flat().some((each) => isJoined(table, each));
    const field = table.fields.get(name);
    return field?.kind === 'relation' && !field.isList;
  });

/** A statement's clauses, from `from` on. */
function compileClauses(
  state: CompilerState,
  source: Source,
  restrictions: string[],
  window: Query,
  { joins }: Selection,
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
    `from ${compileFrom(source)}`,
    ...joins,
    `where ${allOf(conditions)}`,
    order.length > 0 ? `order by ${order.join(', ')}` : '',
    take === undefined ? '' : `limit ${String(take)}`,
    skip === 0 ? '' : `offset ${placeholder(state, skip, String)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function compileOrder(source: Source, orderBy: unknown): string[] {
  return [orderBy].flat().flatMap((part) =>
    Object.entries(part as Query).map(([name, direction]) => {
      const field = source.table.fields.get(name);
      if (field?.kind !== 'column' || (direction !== 'asc' && direction !== 'desc')) throw new UnsupportedQuery();
      return `${getName(source, field)} ${direction}`;
    }),
  );
}

/** Adds a row's selected fields to the select list. */
function compileFields(
  state: CompilerState,
  source: Source,
  { select, include, omit }: Query,
  rows: Selection,
): Field[] {
  if (select && (include || omit)) throw new UnsupportedQuery(); // Prisma refuses it
  const all = [...source.table.fields.values()];
  const columns = all.filter(
    (field) => field.kind === 'column' && !field.isOmitted && !(omit as Query | undefined)?.[field.name],
  );
  const selected = select
    ? (select as Query)
    : { ...Object.fromEntries(columns.map(({ name }) => [name, true])), ...(include as Query | undefined) };
  const fields = Object.entries(selected).flatMap(([name, part]) => {
    if (part === false) return [];
    const field = source.table.fields.get(name);
    if (!field) throw new UnsupportedQuery();
    if (field.kind === 'column') return compileValue(source, field, rows);
    return compileRelated(state, source, field, part === true ? {} : (part as Query), rows);
  });
  if (fields.length === 0) throw new UnsupportedQuery();
  return fields;
}

const read = (rows: Selection, sql: string): number => rows.columns.push(sql) - 1;

function compileValue(source: Source, column: Column, rows: Selection): Field {
  const { read: usual, readInJson = usual, fromText, fromJson } = findType(column);
  const name = getName(source, column);
  const reading = rows.isJson ? readInJson : usual;
  const at = read(rows, reading ? reading(name) : name);
  return { is: 'value', name: column.name, at, decode: rows.isJson ? fromJson : fromText };
}

function compileRelated(
  state: CompilerState,
  source: Source,
  relation: Relation,
  query: Query,
  rows: Selection,
): Field {
  const { name } = relation;
  if (relation.isList) {
    const { sql, fields } = compileList(state, source, relation, query);
    return { is: 'rows', name, at: read(rows, sql), fields, isText: !rows.isJson };
  }
  const { select, include, omit, ...others } = query;
  if (Object.keys(others).length > 0) throw new UnsupportedQuery();
  const other = joinRelation(state, source, relation, rows.joins);
  const fields = compileFields(state, other, { select, include, omit }, rows);
  const at = read(rows, `${other.alias}."tenant_id"`);
  return { is: 'row', name, at, fields };
}
