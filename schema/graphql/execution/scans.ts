import type { Prisma } from '../../../prisma/client.ts';
import { getIndexedFields, getSortedFields } from '../../../prisma/tables.ts';
import { resources } from '../../resource-list.ts';
import { splitWords } from '../filters/search.ts';
import { toOrderField } from '../paging/order.ts';
import { maxOffsetScan, type PageArgs } from '../paging/page.ts';

interface ListArgs extends PageArgs {
  filter?: Record<string, unknown> | null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The comparisons and conditions that are given, as paths. */
function listConditions(filter: object, path: string): string[] {
  return Object.entries(filter).flatMap(([name, part]: [string, unknown]) => {
    if (part === undefined || part === null || part === '') return [];
    const at = `${path}.${name}`;
    if (name === 'q') return splitWords(String(part)).map(() => at); // each word is a comparison
    if (name === 'contains' && isObject(part)) return Object.keys(part).map(() => at); // each pair is one
    if (name === 'and' || name === 'or') return [part].flat().flatMap((each) => listConditions(each as object, at));
    return isObject(part) ? listConditions(part, at) : [at];
  });
}

/** Operators that find rows by an index of the column. */
const byIndex = new Set(['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'isNull']);

/** The conditions of a filter that no index serves, so that each of the tenant's rows may have to be looked at. */
function listUnindexed(model: Prisma.ModelName, conditions: string[]): string[] {
  const indexed = getIndexedFields(model);
  return conditions.filter((path) => {
    const [, name = '', operator = '', ...deeper] = path.split('.');
    return name !== 'q' && (deeper.length > 0 || !indexed.has(name) || !byIndex.has(operator));
  });
}

/** The fields of an order that no index serves. An index has rows in the order of one column. */
function listUnsorted(model: Prisma.ModelName, { orderBy }: PageArgs): string[] {
  const fields = (orderBy ?? []).map(({ field }) => field);
  const sorted = new Set([...getSortedFields(model)].map(toOrderField)).add('CREATED_AT');
  return fields.length === 1 && sorted.has(fields[0] ?? '') ? [] : fields.map((field) => `orderBy ${field}`);
}

/** Whether triggers maintain the count of the rows that a filter finds (prisma/row-counts.ts). */
function isCounted(model: Prisma.ModelName, [condition, ...others]: string[]): boolean {
  const state = resources.find((each) => each.model === model)?.state;
  return others.length === 0 && (condition === undefined || condition === `filter.${state ?? ''}.eq`);
}

/** So many comparisons of a row take about as long as reading it. */
export const comparisonsPerScan = 6;

const countScans = (conditions: string[]): number => Math.ceil(conditions.length / comparisonsPerScan);

/** The arguments that many lists have. The event log and the deliveries filter by arguments of their own. */
const common = new Set(['filter', 'first', 'last', 'after', 'before', 'offset', 'orderBy']);

/**
 * The scans of a list of all rows: for its rows, where no index finds or sorts them; for a search; for a total that isn't
 * maintained; for a far offset. Many comparisons count as several scans.
 * @returns how many they are, and what they are for, as a client named it: `filter.subject.contains`, `orderBy SUBJECT`
 */
export function listScans(model: Prisma.ModelName, args: ListArgs): { count: number; causes: string[] } {
  const conditions = listConditions(args.filter ?? {}, 'filter');
  const own = Object.entries(args).filter(([name, value]) => value != null && !common.has(name));
  const all = [...conditions, ...own.map(([name]) => name)];
  const unserved = [...listUnindexed(model, conditions), ...listUnsorted(model, args)];
  const isSearched = conditions.includes('filter.q');
  const counted = isCounted(model, all) ? [] : all;
  const isFar = (args.offset ?? 0) > maxOffsetScan;
  return {
    count: countScans(unserved) + Number(isSearched) + countScans(counted) + Number(isFar),
    causes: [
      ...unserved,
      ...(isSearched ? ['filter.q'] : []),
      ...(counted.length > 0 ? [`the total by ${counted.join(', ')}`] : []),
      ...(isFar ? ['offset'] : []),
    ],
  };
}

/** The scans of an aggregate: for the rows that its filter finds. */
export const aggregateScans = ({ filter }: ListArgs): number =>
  Math.max(1, countScans(listConditions(filter ?? {}, 'filter')));

/** The scans of a far offset: the rows before it are read one by one, and may be many of the tenant's. */
const nestedOffsetScans = 8;

/** The scans of a list of one resource's rows: for any filter, any order but that of creation, and a far offset. */
export function nestedScans(args: ListArgs): { count: number; causes: string[] } {
  const conditions = [
    ...listConditions(args.filter ?? {}, 'filter'),
    ...(args.orderBy ?? []).map(({ field }) => `orderBy ${field}`),
  ];
  const isFar = (args.offset ?? 0) > maxOffsetScan;
  return {
    count: countScans(conditions) + (isFar ? nestedOffsetScans : 0),
    causes: [...conditions, ...(isFar ? ['offset'] : [])],
  };
}
