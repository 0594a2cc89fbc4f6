import type { GraphQLField } from 'graphql';
import { defaultPage, far, maxPage, type PageArgs } from '../paging/page.ts';

/** What the rows of a list that has no pages are taken for. */
const listLength = 10;

/**
 * What it costs, in values, to look through many of a tenant's rows: for a search, for a count that no tally has, for a
 * sum. The answer may be one number, but PostgreSQL's work grows with the tenant's books.
 */
export const scanCost = 750;

type Field = Pick<GraphQLField<unknown, unknown>, 'name' | 'type'>;

/**
 * What a field of the type `typeName` costs: 1, its scans, and what is asked of it as often as it may be answered. A
 * connection's is the page that is asked for, so that `nodes` and `edges`, which repeat it, count once.
 */
export function costOf(typeName: string) {
  return (args: object, _context: object, field: Field): { field: number; multiplier: number } => {
    const type = String(field.type);
    if (/Connection!?$/.test(type)) {
      const scans = typeName === 'Query' ? scansOf(args) : 0;
      return { field: 1 + scans * scanCost, multiplier: pageLength(args) };
    }
    const isRow = field.name === 'nodes' || field.name === 'edges';
    const own = typeName === 'Overview' && sums.has(field.name) ? 1 + scanCost : 1;
    return { field: own, multiplier: type.startsWith('[') && !isRow ? listLength : 1 };
  };
}

/** The fields of Overview that add rows up. */
const sums = new Set(['outstanding', 'overdue', 'paidThisMonth', 'unbilledMinutes', 'months']);

/** Arguments that choose a page, and those by whose values rows are counted as they are written (prisma/row-counts.ts). */
const paging = new Set(['first', 'after', 'last', 'before', 'offset', 'orderBy']);
const tallied = new Set(['type', 'status', 'matchStatus']);

/** How often a list is looked through: a search for its rows and for its total, a filter for its total. */
function scansOf(args: PageArgs): number {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const filters = given.filter(([name]) => !paging.has(name));
  const isSearched = filters.some(([name]) => name === 'q');
  const isCounted = filters.length > 1 || filters.some(([name]) => !tallied.has(name));
  return Number(isSearched) + Number(isCounted) + Number((args.offset ?? 0) > far);
}

function pageLength({ first, last }: PageArgs): number {
  return Math.min(Math.max(first ?? last ?? defaultPage, 1), maxPage);
}
