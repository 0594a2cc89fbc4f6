import type { GraphQLField } from 'graphql';
import { resources } from '../../prisma/client.ts';
import { defaultChanges, maxChanges } from '../changes/feed.ts';
import { defaultPageSize, maxOffsetScan, maxPageSize, type PageArgs } from '../paging/page.ts';

/** The assumed length of a list without pages. */
const listLength = 10;

/**
 * The cost, in values, of a scan of many of a tenant's rows: for a search, a count that isn't maintained, or a sum. The
 * answer may be one number, but PostgreSQL's work grows with the tenant's data.
 */
export const scanCost = 750;

/** The cost of a file: a PDF may have to be made, which takes longer than any query. */
const fileCost = 2 * scanCost;

type Field = Pick<GraphQLField<unknown, unknown>, 'name' | 'type'>;

/**
 * The cost of a field of the type `typeName`: 1, its scans, and the cost of its selection times the number of its rows. A
 * connection or a page of changes multiplies by the requested page size, so that `nodes` and `edges`, which repeat the
 * rows, count once.
 */
export function costOf(typeName: string) {
  return (args: object, _context: object, field: Field): { field: number; multiplier: number } => {
    const type = String(field.type);
    if (/Connection!?$/.test(type)) {
      const scans = typeName === 'Query' ? scansOf(args) : 0;
      return { field: 1 + scans * scanCost, multiplier: pageLength(args) };
    }
    if (type === 'ChangePage!') {
      const { limit } = args as { limit?: number | null };
      return { field: 1, multiplier: Math.min(Math.max(limit ?? defaultChanges, 1), maxChanges) };
    }
    if (type === '[Node]!') return { field: 1, multiplier: (args as { ids?: unknown[] }).ids?.length ?? 1 };
    if (type === 'DocumentFile!') return { field: fileCost, multiplier: 1 };
    const isRow = field.name === 'nodes' || field.name === 'edges';
    const own = typeName === 'Overview' && sums.has(field.name) ? 1 + scanCost : 1;
    return { field: own, multiplier: type.startsWith('[') && !isRow ? listLength : 1 };
  };
}

/** The fields of Overview that sum over many rows. */
const sums = new Set(['outstanding', 'overdue', 'paidThisMonth', 'unbilledMinutes', 'months']);

/** Arguments that choose a page, and filters whose counts are maintained (prisma/row-counts.ts). */
const paging = new Set(['first', 'after', 'last', 'before', 'offset', 'orderBy']);
const countedFilters = new Set<string | null>(resources.map(({ state }) => state));

/** How many scans a list takes: one for a search, one for a total that isn't maintained, one for a far offset. */
function scansOf(args: PageArgs): number {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const filters = given.filter(([name]) => !paging.has(name));
  const isSearched = filters.some(([name]) => name === 'q');
  const isCounted = filters.length > 1 || filters.some(([name]) => !countedFilters.has(name));
  return Number(isSearched) + Number(isCounted) + Number((args.offset ?? 0) > maxOffsetScan);
}

function pageLength({ first, last }: PageArgs): number {
  return Math.min(Math.max(first ?? last ?? defaultPageSize, 1), maxPageSize);
}
