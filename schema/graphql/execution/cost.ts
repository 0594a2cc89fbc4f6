import { getNamedType, isInputObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { resources } from '../../resources.ts';
import { getBounds } from '../input/validators.ts';
import {
  defaultChanges,
  defaultPageSize,
  maxChanges,
  maxOffsetScan,
  maxPageSize,
  type PageArgs,
} from '../paging/page.ts';

/** The assumed length of a list without pages. The rows that it really has are counted when they are there (response-size.ts). */
const listLength = 10;

/** The bytes that a value stands for: a response of the highest cost is about as long as a response may be. */
export const bytesPerValue = 400;

/**
 * The cost, in values, of a scan of many of a tenant's rows: for a search, a count that isn't maintained, or a sum. The
 * response may be one number, but PostgreSQL's work grows with the tenant's data.
 */
export const scanCost = 750;

/** The cost of a file: a PDF may have to be made, which takes longer than any query. */
const fileCost = 2 * scanCost;

/** Values that are long, in bytes as JSON, where no input says how long. */
const lengths: Record<string, number> = {
  'DocumentFile.base64': 1_000_000,
  // Bodies of large invoices are longer. They are counted when they are read: a page of events would cost too much otherwise.
  'Event.body': 10_000,
  'Event.json': 10_000,
  'DeliveryAttempt.responseBody': 6 * 16_384, // control characters
};

/** Lists whose longest length is known. */
const longestLists: Record<string, number> = { 'Delivery.attempts': 6 };

type Field = Pick<GraphQLField<unknown, unknown>, 'name' | 'type'>;

/** The lengths that inputs allow, by their names. Answered fields of these names are as long. */
export function textLengths(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInputObjectType(type)) continue;
    for (const { name, extensions } of Object.values(type.getFields())) {
      const { validate } = (extensions['pothosOptions'] ?? {}) as { validate?: unknown };
      longest.set(name, Math.max(longest.get(name) ?? 0, getBounds(validate).maxLength ?? 0));
    }
  }
  return longest;
}

/**
 * The cost of a field of the type `typeName`: 1, its scans, and the cost of its selection times the number of its rows. A
 * connection or a page of changes multiplies by the requested page size, so that `nodes` and `edges`, which repeat the
 * rows, count once.
 * @param texts the lengths of texts by the names of their fields
 */
export function computeCost(typeName: string, texts: ReadonlyMap<string, number>) {
  return (args: object, _context: object, field: Field): { field: number; multiplier: number } => {
    const type = String(field.type);
    if (/Connection!?$/.test(type)) {
      const scans = typeName === 'Query' ? countScans(args) : 0;
      return { field: 1 + scans * scanCost, multiplier: pageLength(args) };
    }
    if (type === 'ChangePage!') {
      const { limit } = args as { limit?: number | null };
      return { field: 1, multiplier: Math.min(Math.max(limit ?? defaultChanges, 1), maxChanges) };
    }
    if (type === '[Node]!') return { field: 1, multiplier: (args as { ids?: unknown[] }).ids?.length ?? 1 };
    const named = getNamedType(field.type).name;
    if (named === 'DocumentFile') return { field: fileCost, multiplier: 1 };
    const isRow = field.name === 'nodes' || field.name === 'edges';
    const whole = `${typeName}.${field.name}`;
    const length = lengths[whole] ?? (named === 'String' ? texts.get(field.name) : undefined) ?? 0;
    const scans = typeName === 'Overview' && sums.has(field.name) ? scanCost : 0;
    return {
      field: Math.max(1, Math.ceil(length / bytesPerValue)) + scans,
      multiplier: type.startsWith('[') && !isRow ? (longestLists[whole] ?? listLength) : 1,
    };
  };
}

/** The fields of Overview that sum over many rows. */
const sums = new Set(['outstanding', 'overdue', 'paidThisMonth', 'unbilledMinutes', 'months']);

/** Arguments that choose a page, and filters whose counts are maintained (prisma/row-counts.ts). */
const paging = new Set(['first', 'after', 'last', 'before', 'offset', 'orderBy']);
const countedFilters = new Set<string | null>(resources.map(({ state }) => state));

/** How many scans a list takes: one for a search, one for a total that isn't maintained, one for a far offset. */
function countScans(args: PageArgs): number {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const filters = given.filter(([name]) => !paging.has(name));
  const isSearched = filters.some(([name]) => name === 'q');
  const isCounted = filters.length > 1 || filters.some(([name]) => !countedFilters.has(name));
  return Number(isSearched) + Number(isCounted) + Number((args.offset ?? 0) > maxOffsetScan);
}

function pageLength({ first, last }: PageArgs): number {
  return Math.min(Math.max(first ?? last ?? defaultPageSize, 1), maxPageSize);
}
