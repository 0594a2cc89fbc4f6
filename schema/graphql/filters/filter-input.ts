import type { InputRef } from '@pothos/core';
import type { z } from 'zod';
import { isPlain } from '../../../prisma/client.ts';
import type { Column } from '../../../prisma/tables.ts';
import { ForbiddenError, Problems, type Problem } from '../../errors/errors.ts';
import type { Ability } from '../ability.ts';
import { builder, type InputFields } from '../builder.ts';
import type { Context } from '../context.ts';
import { toProblem } from '../input/issues.ts';
import { count, notNull } from '../input/validators.ts';
import {
  booleanKind,
  comparatorInput,
  findKind,
  findValidator,
  toPrismaCondition,
  type Comparisons,
  type Enums,
  type Kind,
  type Operator,
} from './comparators.ts';
import { containsWords, searchText, wordsIn } from './search.ts';

/** A filter as a client gives it, by the names of its fields. */
export type FilterValue = { [name: string]: unknown };

/** The most comparisons in one filter. */
export const maxComparisons = 50;

/** The most filters in one `or` or `and`. */
export const maxAlternatives = 20;

/** A field of a filter that is no column: it is true or false of each row. */
export interface ComputedFilter {
  description: string;
  toCondition: (value: boolean, context: Context) => object;
}

export interface FilterOptions {
  /** The name of the rows' type. */
  typeName: string;
  /** The ability that reads the rows. A filter by a related row needs the related row's. */
  ability: Ability;
  /** The columns that the type shows. */
  columns: Column[];
  enums: Enums;
  /** The filters of related rows, by the names of the relations. */
  relations: Record<string, Filter>;
  computed: Record<string, ComputedFilter>;
  search: Search | undefined;
}

/** The field `q` of a filter. */
export interface Search {
  /** The searched fields, in words. */
  fields: string;
  /** Where a list's `q` searches more than the rows' own fields. A list within a row does not (DECISIONS.md#d130-filters). */
  related?: RelatedSearch;
}

/** The conditions of a `q` that searches related rows, too. */
export interface RelatedSearch {
  /** Of the list's own `q`: related rows are looked up first. */
  findConditions: (q: string, context: Context) => Promise<object[]>;
  /** Of any other `q` in its filter. There may be many, so that none looks anything up. */
  toConditions: (q: string, context: Context) => object[];
}

/** How a list can be filtered: the input type, and what it means. */
export interface Filter {
  ability: Ability;
  input: InputRef<FilterValue>;
  /**
   * The condition of Prisma for the rows that a list within a row finds. `q` searches the rows' own fields.
   * @throws ValidationError for what is wrong with the filter: that of a nested list isn't validated before
   * @throws ForbiddenError for a related row that the caller may not read
   */
  toCondition: (value: FilterValue | null | undefined, context: Context) => object;
  /** The same for the filter of a list, which has been validated. Its `q` may search related rows too. */
  findCondition: (value: FilterValue | null | undefined, context: Context) => Promise<object>;
  /** The conditions of a filter that is part of another one, at this path. */
  addConditions: (value: FilterValue, translation: Translation, path: string) => object[];
}

/** A filter while it is translated. */
interface Translation {
  context: Context;
  problems: Problems;
  comparisons: number;
  /** Whether the list is within a row. */
  isWithinRow: boolean;
}

/** Declares the input type of a filter: each column with its comparisons, related rows with theirs, `and`, and `or`. */
export function filterInput(options: FilterOptions): Filter {
  const { typeName, ability, columns, enums, relations, computed, search } = options;
  const kinds = new Map(
    columns.flatMap((column) => {
      const kind = findKind(column, enums);
      return kind ? [[column.name, { kind, column }] as const] : [];
    }),
  );
  const input = builder.inputRef<FilterValue>(`${typeName}Filter`) as unknown as FilterRef;
  input.implement({
    description: `The conditions on rows of the type ${typeName}, all of which must hold. A comparison with a value that is null never holds.`,
    fields: (t) => ({
      ...listFields(t, kinds, computed, relations),
      ...(search && { q: t.string({ description: describeSearch(search), validate: searchText, ...notNull }) }),
      and: alternatives(t, input, 'All of these must hold as well.'),
      or: alternatives(t, input, 'At least one of these must hold as well.'),
    }),
  });

  const addConditions: Filter['addConditions'] = (value, translation, path) =>
    Object.entries(value).flatMap(([name, part]): object[] => {
      const at = path + name;
      if (part === undefined) return [];
      if (part === null) return refuse(translation, at, ['not_nullable', 'Must not be null.']);
      if (name === 'q') return searchFields(search, part as string, translation, at);
      if (name === 'and' || name === 'or') return combine(name, part as FilterValue[], translation, at);
      const column = kinds.get(name);
      if (column) return compare(column, part as Comparisons, translation, at);
      const related = relations[name];
      if (related) return relate(name, related, part as FilterValue, translation, at);
      const { eq } = part as Comparisons;
      const field = computed[name];
      return field && typeof eq === 'boolean' ? [field.toCondition(eq, translation.context)] : [];
    });

  const combine = (name: 'and' | 'or', parts: FilterValue[], translation: Translation, path: string): object[] => {
    if (parts.length < 1 || parts.length > maxAlternatives)
      return refuse(translation, path, wrongCount(1, maxAlternatives, 'filters'));
    const each = parts.map((part, at) => addConditions(part, translation, `${path}.${at}.`));
    if (name === 'and') return each.flat();
    // A filter without conditions finds every row.
    return each.some((conditions) => conditions.length === 0) ? [] : [{ OR: each.map(joinConditions) }];
  };

  const translate = (value: FilterValue | null | undefined, context: Context, isWithinRow: boolean): object => {
    const translation = { context, problems: new Problems(), comparisons: 0, isWithinRow };
    const conditions = addConditions(value ?? {}, translation, 'filter.');
    translation.problems.throwIfAny();
    return joinConditions(conditions);
  };
  const toCondition: Filter['toCondition'] = (value, context) => translate(value, context, true);
  const findCondition: Filter['findCondition'] = async (value, context) => {
    const { q, ...others } = value ?? {};
    if (typeof q !== 'string' || !search?.related) return translate(value, context, false);
    const found = await search.related.findConditions(q, context);
    const condition = translate(others, context, false);
    return joinConditions([condition, ...found].filter((each) => Object.keys(each).length > 0));
  };
  return { ability, input, toCondition, findCondition, addConditions };
}

type FilterRef = InputRef<FilterValue> & {
  implement: (options: { description: string; fields: (t: InputFields) => object }) => void;
};

/** One condition for several, all of which must hold. Without any it is empty, so that a total uses the maintained counts. */
export const joinConditions = (conditions: object[]): object =>
  conditions.length > 1 ? { AND: conditions } : (conditions[0] ?? {});

function listFields(
  t: InputFields,
  kinds: ReadonlyMap<string, { kind: Kind; column: Column }>,
  computed: FilterOptions['computed'],
  relations: FilterOptions['relations'],
): object {
  const ofColumns = kinds
    .values()
    .map(({ kind, column: { name, nullable } }) => [
      name,
      t.field({ type: comparatorInput(kind, nullable), ...notNull }),
    ]);
  const ofComputed = Object.entries(computed).map(([name, { description }]) => [
    name,
    t.field({ type: comparatorInput(booleanKind, false), description, ...notNull }),
  ]);
  const ofRelations = Object.entries(relations).map(([name, { input, ability }]) => [
    name,
    t.field({
      type: input,
      description: `Conditions on its \`${name}\`. Needs the ability \`${ability}\`.`,
      ...notNull,
    }),
  ]);
  return Object.fromEntries([...ofColumns, ...ofComputed, ...ofRelations]) as object;
}

const alternatives = (t: InputFields, input: InputRef<FilterValue>, description: string) =>
  t.field({ type: [input], description, validate: count(1, maxAlternatives, 'filters'), ...notNull });

const wrongCount = (min: number, max: number, things: string): Problem => [
  'wrong_count',
  `Must have ${min} to ${max} ${things}.`,
  { min, max },
];

function refuse({ problems }: Translation, path: string, problem: Problem): object[] {
  problems.add(path, ...problem);
  return [];
}

/** Each pair of metadata is compared. */
const countComparisons = (value: unknown): number => (isPlain(value) ? Object.keys(value).length : 1);

function compare(
  { kind, column }: { kind: Kind; column: Column },
  comparisons: Comparisons,
  translation: Translation,
  path: string,
): object[] {
  const { gte, lte } = comparisons;
  if (gte instanceof Date && lte instanceof Date && gte > lte) refuseEmptyPeriod(translation.problems, path);
  return Object.entries(comparisons).flatMap(([name, value]): object[] => {
    const operator = name as Operator;
    const at = `${path}.${operator}`;
    if (value === undefined) return [];
    if (value === null) return refuse(translation, at, ['not_nullable', 'Must not be null.']);
    translation.comparisons += countComparisons(value);
    if (translation.comparisons > maxComparisons)
      return refuse(translation, 'filter', [
        'too_many',
        `Must not have more than ${maxComparisons} comparisons.`,
        { max: maxComparisons },
      ]);
    const validate = findValidator(kind, operator);
    if (validate && reportIssues(validate, value, translation, at)) return [];
    return countComparisons(value) > 0 ? [toPrismaCondition(column.name, operator, value)] : [];
  });
}

const describeSearch = ({ fields, related }: Search): string =>
  `${wordsIn} ${fields}.${related ? " A list within a row searches its rows' own fields alone." : ''}`;

function searchFields(search: Search | undefined, q: string, translation: Translation, path: string): object[] {
  if (reportIssues(searchText, q, translation, path)) return [];
  const { related } = search ?? {};
  return related && !translation.isWithinRow ? related.toConditions(q, translation.context) : containsWords(q);
}

/** @returns whether there are any */
function reportIssues(validate: z.ZodType, value: unknown, { problems }: Translation, path: string): boolean {
  const issues = validate.safeParse(value).error?.issues ?? [];
  for (const issue of issues) problems.add(path, ...toProblem(issue));
  return issues.length > 0;
}

/** A period that has no day is a mistake. */
function refuseEmptyPeriod(problems: Problems, path: string): void {
  problems.add(`${path}.gte`, 'wrong_order', 'Must not be after the last day.');
  problems.add(`${path}.lte`, 'wrong_order', 'Must not be before the first day.');
}

function relate(
  name: string,
  { ability, addConditions }: Filter,
  value: FilterValue,
  translation: Translation,
  path: string,
): object[] {
  if (!translation.context.may(ability)) throw new ForbiddenError(ability);
  const conditions = addConditions(value, translation, `${path}.`);
  return conditions.length > 0 ? [{ [name]: joinConditions(conditions) }] : [];
}
