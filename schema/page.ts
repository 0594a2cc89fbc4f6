import { Problems } from './errors.ts';
import type { Column, Columns } from './order.ts';
import { isUuid } from './scalars.ts';

/** The longest page, and the usual one. */
export const maxPage = 100;
export const defaultPage = 25;

export interface PageArgs {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  offset?: number | null;
  orderBy?: { field: string; direction: 'ASC' | 'DESC' } | null;
}

export interface Connection<Row> {
  edges: { cursor: string; node: Row }[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  totalCount: () => Promise<number>;
}

type Direction = 'asc' | 'desc';

/** How rows follow each other: by the column if there is one, then by id. Null counts as larger than every value. */
interface Order {
  column: Column | undefined;
  direction: Direction;
  /** Stands in its cursors, so that no other order takes them. Newest first has none. */
  mark: string;
}

const newestFirst: Order = { column: undefined, direction: 'desc', mark: '' };

function orderFrom({ orderBy }: PageArgs, columns: Columns): Order {
  if (!orderBy) return newestFirst;
  const column = columns[orderBy.field];
  const direction = orderBy.direction === 'ASC' ? 'asc' : 'desc';
  return !column && direction === 'desc'
    ? newestFirst
    : { column, direction, mark: `${orderBy.field} ${orderBy.direction}` };
}

const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc');

/** A place between rows: right after or before where a row with this value and id stands, or stood. */
interface Position {
  id: string;
  value?: unknown;
}

// A cursor is the position after or before a row, not the row: it stays good when the row is deleted, and says
// nothing of rows that aren't the caller's.
const encode = (text: string): string => Buffer.from(text).toString('base64url');

function writeCursor({ column, mark }: Order, row: { id: string }): string {
  if (!mark) return encode(row.id);
  if (!column) return encode(JSON.stringify([mark, row.id]));
  const value = (row as Record<string, unknown>)[column.name];
  return encode(JSON.stringify([mark, row.id, value === null ? null : column.values.write(value)]));
}

function readCursor(cursor: string, { column, mark }: Order): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!mark) return isUuid(text) ? { id: text } : undefined;
  const [ofOrder, id, written] = readArray(text);
  if (ofOrder !== mark || !isUuid(id)) return undefined;
  if (!column) return { id };
  if (written === null) return column.nullable ? { id, value: null } : undefined;
  const value = typeof written === 'string' ? column.values.read(written) : undefined;
  return value === undefined ? undefined : { id, value };
}

function readArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** A condition on the rows of a page. To Prisma's types it is one on ids: they know a column by its name only. */
interface Range {
  id?: { lt?: string; gt?: string };
}

const anyOf = (ranges: Range[]): Range => (ranges.length === 1 ? (ranges[0] ?? {}) : ({ OR: ranges } as Range));
const allOf = (...ranges: Range[]): Range => ({ AND: ranges }) as Range;

/**
 * The rows on one side of a position, as ranges that follow each other: those that share the position's value, then
 * those beyond. Each is one stretch of the order's index, which an OR of them is not to PostgreSQL.
 */
function rangesBeyond({ column }: Order, { id, value }: Position, direction: Direction): Range[] {
  const beyond = direction === 'asc' ? 'gt' : 'lt';
  if (!column) return [{ id: { [beyond]: id } }];
  const { name, nullable } = column;
  const ranges: object[] = [{ [name]: value, id: { [beyond]: id } }];
  if (value !== null) ranges.push({ [name]: { [beyond]: value } });
  if (value !== null && nullable && direction === 'asc') ranges.push({ [name]: null });
  if (value === null && direction === 'desc') ranges.push({ [name]: { not: null } });
  return ranges;
}

/** What a list asks of Prisma, beside the condition. */
interface Window {
  orderBy: { id: Direction } | { id: Direction }[];
  take: number;
  skip: number;
}

interface Page {
  order: Order;
  window: Window;
  /** Where its rows are. Each range is read only if those before it don't fill the page. */
  ranges: Range[];
}

/** Turns a list's arguments into a page; asks for one row more than that, to know whether there is a next. */
function pageOf(args: PageArgs, columns: Columns): Page {
  const order = orderFrom(args, columns);
  const { after, before } = readArguments(args, order);
  const backwards = args.last != null;
  const direction = backwards ? opposite(order.direction) : order.direction;
  const [from, to] = backwards ? [before, after] : [after, before];
  const skip = args.offset ?? 0;

  const all = from ? rangesBeyond(order, from, direction) : [{}];
  const apart = skip > 0 ? [anyOf(all)] : all; // as the rows to be skipped may lie in several
  const until = to && anyOf(rangesBeyond(order, to, opposite(direction)));
  const byColumn = order.column && ({ [order.column.name]: direction } as unknown as { id: Direction });
  return {
    order,
    window: {
      orderBy: byColumn ? [byColumn, { id: direction }] : { id: direction },
      take: (args.first ?? args.last ?? defaultPage) + 1,
      skip,
    },
    ranges: until ? apart.map((range) => allOf(range, until)) : apart,
  };
}

function readArguments(args: PageArgs, order: Order): { after?: Position; before?: Position } {
  const problems = new Problems();
  for (const name of ['first', 'last'] as const) {
    const size = args[name];
    if (size != null && (size < 1 || size > maxPage)) problems.add(name, `Must be from 1 to ${maxPage}.`);
  }
  if (args.first != null && args.last != null) problems.add('last', 'Must not be combined with first.');
  if (args.offset != null && args.offset < 0) problems.add('offset', 'Must not be negative.');
  const positions: { after?: Position; before?: Position } = {};
  for (const name of ['after', 'before'] as const) {
    const cursor = args[name];
    if (cursor == null) continue;
    const position = readCursor(cursor, order);
    if (position) positions[name] = position;
    else problems.add(name, 'Must be a cursor of this list, in this order.');
  }
  problems.throwIfAny();
  return positions;
}

/** What a list inside a resource asks of Prisma. With ids at least: where only `totalCount` is asked for, Prisma won't read nothing. */
export function rowsOf(args: PageArgs): Window & { where: Range } {
  const { window, ranges } = pageOf(args, {});
  const ids = { select: { id: true } };
  return { ...window, where: anyOf(ranges), ...ids };
}

/** Where a connection's rows are selected. Pothos takes several paths like this, but declares one. */
export const nodesOf = (typeName: string): string[] =>
  ({ getType: () => typeName, paths: pagePaths.paths.map((path) => path.map((name) => ({ name }))) }) as never;

/** The connection over the rows that `rowsOf(args)` asked for. */
export const connectionOf = <Row extends { id: string }>(
  args: PageArgs,
  rows: Row[],
  totalCount: () => Promise<number>,
): Connection<Row> => connect(args, pageOf(args, {}), rows, totalCount);

function connect<Row extends { id: string }>(
  args: PageArgs,
  { window: { take, skip }, order }: Page,
  rows: Row[],
  totalCount: () => Promise<number>,
): Connection<Row> {
  const backwards = args.last != null;
  const more = rows.length === take;
  const nodes = more ? rows.slice(0, -1) : rows;
  if (backwards) nodes.reverse();
  const edges = nodes.map((node) => ({ cursor: writeCursor(order, node), node }));
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
 * Reads one page: `find` gets the window, with `filter` in its `where`.
 * @param columns what the list can be ordered by, if anything
 */
export async function readPage<Row extends { id: string }, Where extends object>(
  args: PageArgs,
  filter: Where,
  find: (query: Window & { where: { AND: (Where | Range)[] } }) => PromiseLike<Row[]>,
  count: (query: { where: Where }) => Promise<number>,
  columns: Columns = {},
): Promise<Connection<Row>> {
  const page = pageOf(args, columns);
  const rows: Row[] = [];
  for (const range of page.ranges) {
    const take = page.window.take - rows.length;
    if (take > 0) rows.push(...(await find({ ...page.window, take, where: { AND: [filter, range] } })));
  }
  return connect(args, page, rows, () => count({ where: filter }));
}

export const pagePaths: { paths: [string[], string[]] } = { paths: [['nodes'], ['edges', 'node']] };
