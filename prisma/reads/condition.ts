import { Parameter } from './shape.ts';
import { tableOf, type Column, type Relation, type Table } from '../tables.ts';
import { NotUnderstood, typeOf, type Encode } from './values.ts';

/** A table in a statement, under the name it goes by there. */
export interface Source {
  table: Table;
  alias: string;
}

/** What one statement is made of beside its text, kept while it is written. */
export interface Draft {
  aliases: number;
  /** The columns that are looked through for a range. */
  ranges: Set<string>;
  /** Whether any is looked through for a pattern. */
  hasPattern: boolean;
  /** How each of the query's values is passed to PostgreSQL, after the tenant's id. */
  encode: Encode[];
}

export const quoted = (name: string): string => `"${name}"`;
export const nameOf = ({ alias }: Source, { column }: Column): string => `${alias}.${quoted(column)}`;

/** Every table that a statement names comes with this condition. */
export const ofTenant = (source: Source): string => `${source.alias}."tenant_id" = $1`;

export function sourceOf(draft: Draft, model: Relation['model']): Source {
  const table = tableOf(model);
  if (table.primaryKey[0]?.column !== 'tenant_id') throw new NotUnderstood();
  return { table, alias: `t${draft.aliases++}` };
}

export const fromOf = ({ table, alias }: Source): string => `"public".${quoted(table.table)} ${alias}`;

export const joining = (here: Source, { here: own, there: theirs }: Relation, there: Source): string[] => [
  ofTenant(there),
  ...theirs.flatMap((column, at) => {
    const of = own[at];
    return of && column.name !== 'tenantId' ? `${nameOf(there, column)} = ${nameOf(here, of)}` : [];
  }),
];

/** A parameter's place in the text. */
export function place(draft: Draft, value: unknown, encode: Encode): string {
  if (!(value instanceof Parameter)) throw new NotUnderstood();
  draft.encode[value.at] = encode;
  return `$${value.at + 2}`;
}

type Where = Record<string, unknown>;
type Joins = string[];

export const allOf = (conditions: string[]): string => (conditions.length > 0 ? conditions.join(' and ') : 'true');
/** Prisma has rules of its own for conditions that say nothing. */
function some(conditions: string[]): string[] {
  if (conditions.length === 0) throw new NotUnderstood();
  return conditions;
}
const listOf = (part: unknown): Where[] => (Array.isArray(part) ? part : [part]) as Where[];

/**
 * `where` as conditions that all must hold. To follow a relation to one row, it is joined: what is unknown of a row that
 * isn't there is then unknown in the condition, and so is its opposite, as Prisma has it.
 */
export function conditionsOf(draft: Draft, source: Source, where: unknown, joins: Joins): string[] {
  if (typeof where !== 'object' || where === null || where instanceof Parameter) throw new NotUnderstood();
  const inner = (part: unknown): string => allOf(some(conditionsOf(draft, source, part, joins)));
  return Object.entries(where).flatMap(([name, part]) => {
    if (name === 'AND') return listOf(part).flatMap((each) => conditionsOf(draft, source, each, joins));
    if (name === 'OR' && Array.isArray(part) && part.length > 0)
      return `(${part.map((each) => `(${inner(each)})`).join(' or ')})`;
    if (name === 'NOT') return listOf(part).map((each) => `not (${inner(each)})`);
    const field = source.table.fields.get(name);
    if (field?.kind === 'column') return comparisonsOf(draft, source, field, part);
    if (field?.kind === 'relation') return relatedOf(draft, source, field, part as Where, joins);
    throw new NotUnderstood();
  });
}

function relatedOf(draft: Draft, source: Source, relation: Relation, part: Where, joins: Joins): string | string[] {
  const other = sourceOf(draft, relation.model);
  if (relation.isList) {
    return Object.entries(part).map(([quantity, where]) => {
      if (quantity !== 'some' && quantity !== 'none') throw new NotUnderstood();
      const within: Joins = [];
      const conditions = [...joining(source, relation, other), ...conditionsOf(draft, other, where, within)];
      const rows = `select from ${[fromOf(other), ...within].join(' ')} where ${allOf(conditions)}`;
      return `${quantity === 'none' ? 'not ' : ''}exists (${rows})`;
    });
  }
  if (!part || 'is' in part || 'isNot' in part) throw new NotUnderstood();
  joins.push(`left join ${fromOf(other)} on ${allOf(joining(source, relation, other))}`);
  const there = relation.there.map((column) => `${nameOf(other, column)} is not null`);
  return `(${allOf([...some(conditionsOf(draft, other, part, joins)), ...there])})`;
}

const operators: Record<string, string> = { equals: '=', not: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' };
const patterns: Record<string, (text: string) => string> = {
  contains: (text) => `%${text}%`,
  startsWith: (text) => `${text}%`,
  endsWith: (text) => `%${text}`,
};

function comparisonsOf(draft: Draft, source: Source, column: Column, part: unknown): string[] {
  const name = nameOf(source, column);
  const { encode } = typeOf(column);
  const nothing = (isNull: string): string => {
    if (!column.nullable) throw new NotUnderstood(); // Prisma refuses it
    return `${name} ${isNull}`;
  };
  if (part === null) return [nothing('is null')];
  if (part instanceof Parameter) return [`${name} = ${place(draft, part, encode)}`];
  const { mode, ...operations } = part as Where;
  if (mode === 'insensitive' && Object.keys(operations).some((each) => !patterns[each])) throw new NotUnderstood();
  return Object.entries(operations).map(([operation, value]) => {
    const operator = operators[operation];
    if (operator && value === null && operation === 'equals') return nothing('is null');
    if (operator && value === null && operation === 'not') return nothing('is not null');
    if (/^[lg]te?$/.test(operation)) draft.ranges.add(name);
    if (operator) return `${name} ${operator} ${place(draft, value, encode)}`;
    if (operation === 'in') return `${name} = any (${place(draft, value, each(encode))})`;
    if (operation === 'notIn') return `${name} <> all (${place(draft, value, each(encode))})`;
    const pattern = patterns[operation];
    if (!pattern || column.type !== 'String' || column.native) throw new NotUnderstood();
    draft.hasPattern = true;
    const like = mode === 'insensitive' ? 'ilike' : 'like';
    return `${name} ${like} ${place(draft, value, (text) => pattern(encode(text) as string))}`;
  });
}

const each =
  (encode: Encode): Encode =>
  (values) => {
    if (!Array.isArray(values)) throw new NotUnderstood();
    return values.map(encode);
  };
