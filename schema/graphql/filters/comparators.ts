import type { InputRef } from '@pothos/core';
import { z } from 'zod';
import type { Column } from '../../../prisma/tables.ts';
import { builder } from '../builder.ts';
import { comparedMetadata } from '../scalars/metadata.ts';
import { comparedText, count, decimal, notNull } from '../input/validators.ts';

/** The values that are compared with a column: at most one for each operator. All comparisons must hold. */
export type Comparisons = Partial<Record<Operator, unknown>>;

/** The most values of `in` and `nin`. */
export const maxListed = 100;

const descriptions = {
  eq: 'Equal to this value.',
  neq: 'Any other value. Null is none.',
  in: `One of these values, at most ${maxListed}.`,
  nin: `None of these values, at most ${maxListed}. Null is no value, unless the list is empty: that finds every row.`,
  lt: 'Less, or earlier.',
  lte: 'At most, or not later.',
  gt: 'Greater, or later.',
  gte: 'At least, or not earlier.',
  startsWith: 'Begins with this text, regardless of case.',
  contains: 'Contains this text, regardless of case.',
  isNull: 'True: has no value. False: has one.',
};

export type Operator = keyof typeof descriptions;

const equality: Operator[] = ['eq', 'neq', 'in', 'nin'];
const ranges: Operator[] = ['lt', 'lte', 'gt', 'gte'];

/** A type of values, and how they can be compared. */
export interface Kind {
  /** The first part of the comparator's name. */
  name: string;
  type: InputRef<unknown> | 'String' | 'UUID' | 'Int' | 'Decimal' | 'Date' | 'DateTime' | 'Boolean' | 'Metadata';
  operators: Operator[];
  /** The validator of values, beside their type. */
  validate?: z.ZodType;
  /** A sentence for the comparator's description. */
  note?: string;
  /** Descriptions of operators that have another meaning here. */
  descriptions?: Partial<typeof descriptions>;
}

const plain = (type: Exclude<Kind['type'], object>, operators: Operator[], validate?: z.ZodType): Kind => ({
  name: type,
  type,
  operators,
  ...(validate && { validate }),
});

const kinds: Record<string, Kind> = {
  Uuid: plain('UUID', equality),
  String: plain('String', [...equality, 'startsWith', 'contains'], comparedText(255)),
  Int: plain('Int', [...equality, ...ranges]),
  Decimal: plain('Decimal', [...equality, ...ranges], decimal({})),
  Date: plain('Date', [...equality, ...ranges]),
  DateTime: {
    ...plain('DateTime', [...equality, ...ranges]),
    note: 'Times are compared to the millisecond, and shown to the second: `gte` and `lt` find those of a whole second.',
  },
  Boolean: plain('Boolean', ['eq']),
};

const metadataKind: Kind = {
  ...plain('Metadata', ['contains'], comparedMetadata),
  descriptions: { contains: 'Has all of these pairs. Without any, it is no condition.' },
};

/** The GraphQL types of enums, by Prisma's names of the fields. */
export type Enums = Record<string, InputRef<unknown> & { name: string }>;

/** @returns undefined for a column whose values can't be compared: JSON, bytes, lists */
export function findKind(column: Column, enums: Enums): Kind | undefined {
  const { name, type, native, isList } = column;
  const enumeration = enums[name];
  if (enumeration) return { name: enumeration.name, type: enumeration, operators: equality };
  if (name === 'metadata') return metadataKind;
  return isList ? undefined : (kinds[native ?? ''] ?? kinds[type]);
}

export const booleanKind = kinds['Boolean'] as Kind;

const isList = (operator: Operator): boolean => operator === 'in' || operator === 'nin';

/** The validator of an operator's value, beside its type. */
export function findValidator({ validate }: Kind, operator: Operator): z.ZodType | undefined {
  if (operator === 'isNull') return undefined;
  if (!isList(operator)) return validate;
  const bounds = count(0, maxListed, 'values');
  return validate ? bounds.pipe(z.array(validate)).meta({ ...bounds.meta() }) : bounds;
}

const comparators = new Map<string, InputRef<Comparisons>>();

/** The input type of a column's comparisons: `DateComparator`, or `NullableDateComparator`. */
export function comparatorInput(kind: Kind, isNullable: boolean): InputRef<Comparisons> {
  const name = `${isNullable ? 'Nullable' : ''}${kind.name}Comparator`;
  const known = comparators.get(name);
  if (known) return known;
  const input = builder.inputRef<Comparisons>(name);
  comparators.set(name, input);
  const operators: Operator[] = [...kind.operators, ...(isNullable ? (['isNull'] as const) : [])];
  input.implement({
    description: `Compares a value of the type ${kind.name}${isNullable ? ', which may be null' : ''}. All that is given must hold.${kind.note ? ` ${kind.note}` : ''}`,
    fields: (t) =>
      Object.fromEntries(
        operators.map((operator) => {
          const type = operator === 'isNull' ? 'Boolean' : kind.type;
          const validate = findValidator(kind, operator);
          const options = {
            description: kind.descriptions?.[operator] ?? descriptions[operator],
            ...(validate && { validate }),
            ...notNull,
          };
          return [operator, isList(operator) ? t.field({ ...options, type: [type] }) : t.field({ ...options, type })];
        }),
      ) as never,
  });
  return input;
}

const prismaNames = { neq: 'not', in: 'in', nin: 'notIn', lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte' } as const;

/** Prisma leaves LIKE's wildcards as they are. */
export const escapeWildcards = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The condition of Prisma for one comparison of a column. */
export function toPrismaCondition(column: string, operator: Operator, value: unknown): object {
  switch (operator) {
    case 'eq':
      return { [column]: value };
    case 'isNull':
      return { [column]: value === true ? null : { not: null } };
    case 'startsWith':
    case 'contains':
      if (typeof value === 'object')
        return { AND: Object.entries(value as object).map(([key, equals]) => ({ [column]: { path: [key], equals } })) };
      return { [column]: { [operator]: escapeWildcards(value as string), mode: 'insensitive' } };
    default:
      return { [column]: { [prismaNames[operator]]: value } };
  }
}
