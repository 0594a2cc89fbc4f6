import { Problems } from './errors.ts';
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
}

/** What a list asks of Prisma: lists are ordered newest first, which is by id, ids being UUIDv7. */
export interface Window {
  where: { id?: { lt?: string; gt?: string } };
  orderBy: { id: 'asc' | 'desc' };
  take: number;
  skip: number;
}

export interface Connection<Row> {
  edges: { cursor: string; node: Row }[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  totalCount: () => Promise<number>;
}

// A cursor is the position after or before a row, not the row: it stays good when the row is deleted, and says
// nothing of rows that aren't the caller's.
const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

function decodeCursor(cursor: string): string | undefined {
  const id = Buffer.from(cursor, 'base64url').toString();
  return isUuid(id) ? id : undefined;
}

/** Turns a list's arguments into a window; asks for one row more than the page, to know whether there is a next. */
export function windowOf(args: PageArgs): Window {
  const problems = new Problems();
  for (const name of ['first', 'last'] as const) {
    const size = args[name];
    if (size != null && (size < 1 || size > maxPage)) problems.add(name, `Must be from 1 to ${maxPage}.`);
  }
  if (args.first != null && args.last != null) problems.add('last', 'Must not be combined with first.');
  if (args.offset != null && args.offset < 0) problems.add('offset', 'Must not be negative.');
  const positions: { after?: string; before?: string } = {};
  for (const name of ['after', 'before'] as const) {
    const cursor = args[name];
    if (cursor == null) continue;
    const id = decodeCursor(cursor);
    if (id) positions[name] = id;
    else problems.add(name, 'Must be a cursor of this list.');
  }
  problems.throwIfAny();

  const backwards = args.last != null;
  return {
    where: {
      id: { ...(positions.after && { lt: positions.after }), ...(positions.before && { gt: positions.before }) },
    },
    orderBy: { id: backwards ? 'asc' : 'desc' },
    take: (args.first ?? args.last ?? defaultPage) + 1,
    skip: args.offset ?? 0,
  };
}

/** The window of a list inside a resource. With ids at least: where only `totalCount` is asked for, Prisma won't read nothing. */
export const rowsOf = (args: PageArgs): Window => ({ ...windowOf(args), select: { id: true } }) as Window;

/** Where a connection's rows are selected. Pothos takes several paths like this, but declares one. */
export const nodesOf = (typeName: string): string[] =>
  ({ getType: () => typeName, paths: pagePaths.paths.map((path) => path.map((name) => ({ name }))) }) as never;

/** The connection over the rows that `windowOf(args)` asked for. */
export function connectionOf<Row extends { id: string }>(
  args: PageArgs,
  window: Window,
  rows: Row[],
  totalCount: () => Promise<number>,
): Connection<Row> {
  const backwards = args.last != null;
  const more = rows.length === window.take;
  const page = more ? rows.slice(0, -1) : rows;
  if (backwards) page.reverse();
  const edges = page.map((node) => ({ cursor: encodeCursor(node.id), node }));
  return {
    edges,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: backwards ? args.before != null || window.skip > 0 : more,
      hasPreviousPage: backwards ? more : args.after != null || window.skip > 0,
    },
    totalCount,
  };
}

/** Reads one page: `find` gets the window, with `filter` in its `where`. */
export async function readPage<Row extends { id: string }, Where extends object>(
  args: PageArgs,
  filter: Where,
  find: (query: Window & { where: { AND: (Where | Window['where'])[] } }) => PromiseLike<Row[]>,
  count: (query: { where: Where }) => Promise<number>,
): Promise<Connection<Row>> {
  const window = windowOf(args);
  const rows = await find({ ...window, where: { AND: [filter, window.where] } });
  return connectionOf(args, window, rows, () => count({ where: filter }));
}

export const pagePaths: { paths: [string[], string[]] } = { paths: [['nodes'], ['edges', 'node']] };
