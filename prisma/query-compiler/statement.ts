import { compileClauses, compilePage } from './clauses.ts';
import {
  joinConditions,
  joinRelation,
  getName,
  ofTenant,
  addSource,
  type CompilerState,
  type Source,
} from './conditions.ts';
import { buildDecoder, type Field, type Raw } from './decode.ts';
import type { Prisma } from '../generated/client/client.ts';
import { parametrized } from './shape.ts';
import type { Column, Relation } from '../tables.ts';
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
  const clauses = compilePage(state, source, window, rows.joins);
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
  return `select count(*)::int as total ${compileClauses(state, source, [ofTenant(source)], { where, orderBy: [] }, [])}`;
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
  const clauses = compileClauses(state, source, joinConditions(here, relation, source), window, rows.joins);
  return {
    sql: `(select json_agg(row) from (select json_build_array(${rows.columns.join(', ')}) as row ${clauses}) l)`,
    fields,
  };
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
