import { queryFromInfo } from '@pothos/plugin-prisma';
import { Kind, type GraphQLResolveInfo } from 'graphql';
import type { ModelWith, Row as RowOf } from '../../../prisma/client.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { Problems, type Problem } from '../../errors/errors.ts';
import type { SortColumns } from './order.ts';
import {
  intersectRanges,
  joinRanges,
  isIndexed,
  orderFrom,
  getPosition,
  rangesAfter,
  reversed,
  decodeCursor,
  encodeCursor,
  type Direction,
  type Order,
  type OrderBy,
  type Position,
  type Range,
} from './cursor.ts';
import { defaultPageSize, maxPageSize } from './page-sizes.ts';

/** Offsets beyond this are not scanned from the page's start: see seekToOffset(). */
export const maxOffsetScan = 1000;

export interface PageArgs {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  offset?: number | null;
  orderBy?: OrderBy | null;
}

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'The number of rows on all pages.',
    resolve: (connection) => connection.totalCount(),
  }),
);

/**
 * Encodes the cursor when it is asked for: REST needs only the first and the last. A class, because V8 makes a hidden class for
 * each object literal with a getter.
 */
class Edge<Row extends { id: string }> {
  readonly node: Row;
  readonly #order: Order;

  constructor(node: Row, order: Order) {
    this.node = node;
    this.#order = order;
  }

  get cursor(): string {
    return encodeCursor(this.#order, this.node);
  }
}

export interface Connection<Row> {
  edges: { cursor: string; node: Row }[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  totalCount: () => Promise<number>;
}

type SortedBy = Record<string, Direction | { sort: Direction; mode: 'folded' }>;

/** The order and limits of a list's query. */
interface Window {
  orderBy: SortedBy | SortedBy[];
  take: number;
  skip: number;
}

interface Page {
  order: Order;
  /** The order in which the rows are read. */
  readingOrder: Order;
  window: Window;
  /** The ranges that hold the page's rows. Each is read only if the ranges before it don't fill the page. */
  ranges: Range[];
}

/** Turns a list's arguments into a page. It reads one row more than the page has, to know whether a next page exists. */
function buildPage(args: PageArgs, columns: SortColumns): Page {
  const order = orderFrom(args.orderBy, columns);
  const { after, before } = readArguments(args, order);
  const backwards = args.last != null;
  const readingOrder = backwards ? reversed(order) : order;
  const [from, to] = backwards ? [before, after] : [after, before];
  const skip = args.offset ?? 0;

  const all = from ? rangesAfter(readingOrder, from) : [{}];
  // The rows to skip may lie in several ranges; and without an index, each range would be a scan.
  const separate = skip > 0 || !isIndexed(order) ? [joinRanges(all)] : all;
  const until = to && joinRanges(rangesAfter(reversed(readingOrder), to));
  return {
    order,
    readingOrder,
    window: {
      orderBy: toOrderBy(readingOrder),
      take: (args.first ?? args.last ?? defaultPageSize) + 1,
      skip,
    },
    ranges: until ? separate.map((range) => intersectRanges(range, until)) : separate,
  };
}

function toOrderBy({ columns, direction }: Order): Window['orderBy'] {
  if (columns.length === 0) return { id: direction };
  return [
    ...columns.map(({ column: { name, isWords }, direction: sort }) => ({
      [name]: isWords ? { sort, mode: 'folded' as const } : sort,
    })),
    { id: direction },
  ];
}

function readArguments(args: PageArgs, order: Order): { after?: Position; before?: Position } {
  let problems: Problems | undefined;
  const refuse = (name: keyof PageArgs, ...problem: Problem): void =>
    (problems ??= new Problems()).add(name, ...problem);
  for (const name of ['first', 'last'] as const) {
    const size = args[name];
    if (size != null && (size < 1 || size > maxPageSize))
      refuse(name, 'out_of_range', `Must be from 1 to ${maxPageSize}.`, { min: 1, max: maxPageSize });
  }
  if (args.first != null && args.last != null) refuse('last', 'inconsistent', 'Must not be combined with first.');
  if (args.offset != null && args.offset < 0) refuse('offset', 'out_of_range', 'Must not be negative.', { min: 0 });
  const positions: { after?: Position; before?: Position } = {};
  for (const name of ['after', 'before'] as const) {
    const cursor = args[name];
    if (cursor == null) continue;
    const position = decodeCursor(cursor, order);
    if (position) positions[name] = position;
    else refuse(name, 'invalid_cursor', 'Must be a cursor of this list, in this order.');
  }
  problems?.throwIfAny();
  return positions;
}

/** The query for a list inside a resource. It selects ids at least, as Prisma refuses an empty selection for `totalCount`. */
export function buildWindow(
  args: PageArgs,
  filter: object = {},
  columns: SortColumns = {},
): Window & { where: object; select: object } {
  const { window, ranges, order } = buildPage(args, columns);
  const select = { id: true, ...Object.fromEntries(order.columns.map(({ column }) => [column.name, true])) };
  return { ...window, where: { AND: [filter, joinRanges(ranges)] }, select };
}

/** The paths of a connection's rows in a selection. Pothos accepts several paths like this, but its types declare one. */
export const listNodes = (typeName: string): string[] =>
  ({ getType: () => typeName, paths: nodePaths.paths.map((path) => path.map((name) => ({ name }))) }) as never;

/** The connection over the rows that the query of buildWindow() has found. */
export const buildConnection = <Row extends { id: string }>(
  args: PageArgs,
  rows: Row[],
  columns: SortColumns,
  totalCount: () => Promise<number>,
): Connection<Row> => toConnection(args, buildPage(args, columns), rows, totalCount);

function toConnection<Row extends { id: string }>(
  args: PageArgs,
  { window: { take, skip }, order }: Page,
  rows: Row[],
  totalCount: () => Promise<number>,
): Connection<Row> {
  const backwards = args.last != null;
  const more = rows.length === take;
  const nodes = more ? rows.slice(0, -1) : rows;
  if (backwards) nodes.reverse();
  const edges = nodes.map((node) => new Edge(node, order));
  return {
    edges,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: backwards ? args.before != null || skip > 0 : more,
      hasPreviousPage: backwards ? more : args.after != null || skip > 0,
    },
    totalCount,
  };
}

/**
 * Reads one page of the list that `info` selects; if possible, its total in the same statement.
 * @param filter the condition of Prisma for the whole list
 * @param columns the columns that the list can be ordered by
 */
export async function readPage<Name extends ModelWith<{ id: string }>>(
  { context, info }: { context: Context; info: GraphQLResolveInfo },
  model: Name,
  args: PageArgs,
  filter: object,
  columns: SortColumns = {},
): Promise<Connection<RowOf<Name>>> {
  const delegate = context.db.model(model);
  const page = buildPage(args, columns);
  const selected = queryFromInfo({ context, info, ...nodePaths });
  let total: Promise<number> | undefined;
  const totalCount = (): Promise<number> => (total ??= delegate.count({ where: filter }));

  const hasCursor = args.after != null || args.before != null;
  const isFirstPage = !hasCursor && page.window.skip === 0;
  const isFar = !hasCursor && page.window.skip > maxOffsetScan && isIndexed(page.order);
  const { window, ranges } = isFar ? await seekToOffset(page, filter, delegate, await totalCount()) : page;
  const rows: RowOf<Name>[] = [];
  for (const range of ranges) {
    const take = window.take - rows.length;
    if (take === 0) break;
    const query = { ...selected, ...window, take, where: { AND: [filter, range] } };
    if (!total && isSelected('totalCount', info)) {
      const found = await delegate.findManyWithTotal(query, filter, isFirstPage);
      total = found.total;
      rows.push(...found.rows);
    } else rows.push(...(await delegate.findMany(query)));
  }
  return toConnection(args, page, rows, totalCount);
}

/** Whether the field is selected unconditionally, and directly rather than in a fragment. */
function isSelected(name: string, { fieldNodes }: GraphQLResolveInfo): boolean {
  for (const { selectionSet } of fieldNodes)
    for (const node of selectionSet?.selections ?? [])
      if (node.kind === Kind.FIELD && node.name.value === name && !node.directives?.length) return true;
  return false;
}

/**
 * Replaces a page's offset by the position of the row before it, in an order that an index has. That row is looked up from the nearer
 * end of the list by an index-only scan, which is far cheaper than reading and skipping whole rows. In other orders all rows are sorted
 * by either statement, so that one takes less than two.
 */
async function seekToOffset(
  page: Page,
  filter: object,
  delegate: { findMany(query: object): Promise<{ id: string }[]> },
  total: number,
): Promise<Page> {
  const { order, readingOrder, window } = page;
  const following = total - window.skip;
  const [seekOrder, skip] =
    following < window.skip ? [reversed(readingOrder), following] : [readingOrder, window.skip - 1];
  const select = { id: true, ...Object.fromEntries(order.columns.map(({ column }) => [column.name, true])) };
  const query = { orderBy: toOrderBy(seekOrder), skip, take: 1, where: { AND: [filter] }, select };
  const [last] = following > 0 ? await delegate.findMany(query) : [];
  const ranges = last ? rangesAfter(readingOrder, getPosition(order, last)) : [];
  return {
    ...page,
    window: { ...window, skip: 0 },
    ranges,
  };
}

const nodePaths: { paths: [string[], string[]] } = { paths: [['nodes'], ['edges', 'node']] };
