import { Parameter } from './shape.ts';
import { getTable, type Column, type Relation, type Table } from '../tables.ts';
import { UnsupportedQuery, encodeEach, findType, type Encode } from './values.ts';

/** A table in a statement, with its alias. */
export interface Source {
  table: Table;
  alias: string;
}

/** State of one compilation, beside the statement's text. */
export interface CompilerState {
  aliases: number;
  /** The tables that are joined as a relation to one row, by the alias and the relation's name. */
  joined: Map<string, Source>;
  /** Columns that are compared with a range. */
  ranges: Set<string>;
  /** Whether any column is compared with a pattern. */
  hasPattern: boolean;
  /** Encoders of the query's values, in the order of the parameters after the tenant's id. */
  encode: Encode[];
}

const quoted = (name: string): string => `"${name}"`;
export const getName = ({ alias }: Source, { column }: Column): string => `${alias}.${quoted(column)}`;

/**
 * The mode that compares texts as words, regardless of case and accents; Prisma has no such mode. The collation orders the
 * folded texts alike on every server.
 */
export const folded = 'folded';
export const fold = (name: string): string => `search_fold(${name}) collate "C"`;

/** The condition that restricts a table to the tenant's rows. Every table in a statement has it. */
export const ofTenant = (source: Source): string => `${source.alias}."tenant_id" = $1`;

export function addSource(state: CompilerState, model: Relation['model']): Source {
  const table = getTable(model);
  if (table.primaryKey[0]?.column !== 'tenant_id') throw new UnsupportedQuery();
  return { table, alias: `t${state.aliases++}` };
}

export const compileFrom = ({ table, alias }: Source): string => `"public".${quoted(table.table)} ${alias}`;

export const joinConditions = (here: Source, { here: own, there: theirs }: Relation, there: Source): string[] => [
  ofTenant(there),
  ...theirs.flatMap((column, at) => {
    const of = own[at];
    return of && column.name !== 'tenantId' ? `${getName(there, column)} = ${getName(here, of)}` : [];
  }),
];

/** Joins a relation to one row, once for all that need it. For a missing row its columns are null. */
export function joinRelation(state: CompilerState, source: Source, relation: Relation, joins: string[]): Source {
  const key = `${source.alias}.${relation.name}`;
  const known = state.joined.get(key);
  if (known) return known;
  const other = addSource(state, relation.model);
  state.joined.set(key, other);
  joins.push(`left join ${compileFrom(other)} on ${joinWithAnd(joinConditions(source, relation, other))}`);
  return other;
}

/** A parameter's placeholder, `$2`. */
export function placeholder(state: CompilerState, value: unknown, encode: Encode): string {
  if (!(value instanceof Parameter)) throw new UnsupportedQuery();
  state.encode[value.at] = encode;
  return `$${value.at + 2}`;
}

type Where = Record<string, unknown>;
type Joins = string[];

export const joinWithAnd = (conditions: string[]): string =>
  conditions.length > 0 ? conditions.join(' and ') : 'true';
/** An empty list of conditions isn't supported: Prisma has special rules for it. */
function nonEmpty(conditions: string[]): string[] {
  if (conditions.length === 0) throw new UnsupportedQuery();
  return conditions;
}
const toList = (part: unknown): Where[] => (Array.isArray(part) ? part : [part]) as Where[];

/**
 * Compiles `where` to conditions that all must hold. A relation to one row is a left join: for a missing row the
 * comparison is null, and so is its negation, as in Prisma.
 */
export function compileConditions(state: CompilerState, source: Source, where: unknown, joins: Joins): string[] {
  if (typeof where !== 'object' || where === null || where instanceof Parameter) throw new UnsupportedQuery();
  const inner = (part: unknown): string => joinWithAnd(nonEmpty(compileConditions(state, source, part, joins)));
  return Object.entries(where).flatMap(([name, part]) => {
    if (name === 'AND') return toList(part).flatMap((each) => compileConditions(state, source, each, joins));
    if (name === 'OR' && Array.isArray(part) && part.length > 0)
      return `(${part.map((each) => `(${inner(each)})`).join(' or ')})`;
    if (name === 'NOT') return toList(part).map((each) => `not (${inner(each)})`);
    const field = source.table.fields.get(name);
    if (field?.kind === 'column') return compileComparisons(state, source, field, part);
    if (field?.kind === 'relation') return compileRelatedCondition(state, source, field, part as Where, joins);
    throw new UnsupportedQuery();
  });
}

function compileRelatedCondition(
  state: CompilerState,
  source: Source,
  relation: Relation,
  part: Where,
  joins: Joins,
): string | string[] {
  if (relation.isList) {
    return Object.entries(part).map(([quantity, where]) => {
      if (quantity !== 'some' && quantity !== 'none') throw new UnsupportedQuery();
      const other = addSource(state, relation.model);
      const within: Joins = [];
      const conditions = [
        ...joinConditions(source, relation, other),
        ...compileConditions(state, other, where, within),
      ];
      const rows = `select from ${[compileFrom(other), ...within].join(' ')} where ${joinWithAnd(conditions)}`;
      return `${quantity === 'none' ? 'not ' : ''}exists (${rows})`;
    });
  }
  if (!part || 'is' in part || 'isNot' in part) throw new UnsupportedQuery();
  const other = joinRelation(state, source, relation, joins);
  const there = relation.there.map((column) => `${getName(other, column)} is not null`);
  return `(${joinWithAnd([...nonEmpty(compileConditions(state, other, part, joins)), ...there])})`;
}

const operators: Record<string, string> = { equals: '=', not: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' };
const patterns: Record<string, (text: string) => string> = {
  contains: (text) => `%${text}%`,
  startsWith: (text) => `${text}%`,
  endsWith: (text) => `%${text}`,
};

/** The condition that a JSON object has this text at this key. */
function compileJsonText(state: CompilerState, name: string, { path, equals, ...others }: Where): string {
  if (Object.keys(others).length > 0) throw new UnsupportedQuery();
  const key = placeholder(state, path, (keys) => onlyText(Array.isArray(keys) && keys.length === 1 ? keys[0] : keys));
  return `${name} ->> ${key}::text = ${placeholder(state, equals, onlyText)}`;
}

function compileFolded(state: CompilerState, name: string, encode: Encode, operations: Where): string[] {
  return Object.entries(operations).map(([operation, value]) => {
    const operator = operators[operation];
    if (!operator || value === null) throw new UnsupportedQuery();
    if (operator !== '=' && operator !== '<>') state.ranges.add(name);
    return `${name} ${operator} search_fold(${placeholder(state, value, encode)})`;
  });
}

function onlyText(value: unknown): string {
  if (typeof value !== 'string') throw new UnsupportedQuery();
  return value;
}

function compileComparisons(state: CompilerState, source: Source, column: Column, part: unknown): string[] {
  const name = getName(source, column);
  const { encode } = findType(column);
  const nullTest = (isNull: string): string => {
    if (!column.nullable) throw new UnsupportedQuery(); // Prisma refuses it
    return `${name} ${isNull}`;
  };
  if (part === null) return [nullTest('is null')];
  if (part instanceof Parameter) return [`${name} = ${placeholder(state, part, encode)}`];
  const { mode, ...operations } = part as Where;
  if (column.type === 'Json') return [compileJsonText(state, name, operations)];
  if (mode === 'insensitive' && Object.keys(operations).some((each) => !patterns[each])) throw new UnsupportedQuery();
  if (mode === folded) return compileFolded(state, fold(name), encode, operations);
  return Object.entries(operations).map(([operation, value]) => {
    const operator = operators[operation];
    if (operator && value === null && operation === 'equals') return nullTest('is null');
    if (operator && value === null && operation === 'not') return nullTest('is not null');
    if (/^[lg]te?$/.test(operation)) state.ranges.add(name);
    if (operator) return `${name} ${operator} ${placeholder(state, value, encode)}`;
    if (operation === 'in') return `${name} = any (${placeholder(state, value, encodeEach(encode))})`;
    if (operation === 'notIn') return `${name} <> all (${placeholder(state, value, encodeEach(encode))})`;
    const pattern = patterns[operation];
    if (!pattern || column.type !== 'String' || column.native) throw new UnsupportedQuery();
    state.hasPattern = true;
    const like = mode === 'insensitive' ? 'ilike' : 'like';
    return `${name} ${like} ${placeholder(state, value, (text) => pattern(encode(text) as string))}`;
  });
}
