import { z } from 'zod';
import type { Context } from '../schema/graphql/context.ts';
import { AnswerTooLargeError, refuse, type Problems } from '../schema/errors/errors.ts';
import { startExecution, type Selection } from '../schema/graphql/execution/compile-selection.ts';
import { defaultPageSize, maxPageSize } from '../schema/graphql/paging/page-sizes.ts';
import { runOperation } from './operation.ts';
import { getPosition } from './page-position.ts';
import type { ReadParameters } from './rest-request.ts';

/** The requested page of a list. */
export interface Page {
  page: number;
  perPage: number;
  /** The page's position right after or before a row, from a link's cursor. Without it, the page number counts. */
  at?: LinkPosition;
}

/** A position: GraphQL's cursor of a row. */
type LinkPosition = { after: string } | { before: string };

/** A page of a list: 200 with the list envelope. */
export const readListPage: ReadParameters = (query, variables, problems) => {
  const page = readPage(query, problems);
  Object.assign(variables, pagingVariables(page));
  return async ({ operation, caller: { context }, url, publicAddress }) => {
    // A single row is always answered, so that a client can read every list to its end.
    if (page.perPage > 1) context.responseSize?.limit();
    try {
      const list = await readList(operation.listShape, await runOperation(operation, variables, context), context);
      const { pathname, search } = new URL(url);
      const body = listEnvelope(list, page, new URL(pathname + search, publicAddress.url));
      context.responseSize?.completeText(body);
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    } catch (error) {
      if (error instanceof AnswerTooLargeError) refuse('per_page', 'answer_too_large', error.message);
      throw error;
    }
  };
};

export const lastPossiblePage = 1_000_000_000;

/**
 * Reads `page`, `per_page` and the `cursor` of a link (CONTRACT.md#paging). A cursor contains the number and the size of its
 * own page. With another `page` or `per_page`, because a client changed the link, the cursor is ignored, as is invalid text.
 */
export function readPage(query: URLSearchParams, problems: Problems): Page {
  const cursor = query.getAll('cursor').at(-1);
  const linked = cursor === undefined ? undefined : decodeLinkCursor(cursor);
  const page = readWholeNumber(query, 'page', { otherwise: linked?.page ?? 1, max: lastPossiblePage }, problems);
  const perPage = readWholeNumber(
    query,
    'per_page',
    { otherwise: linked?.perPage ?? defaultPageSize, max: maxPageSize },
    problems,
  );
  return linked?.page === page && linked.perPage === perPage ? linked : { page, perPage };
}

const cursorShape = z.tuple([
  z.int().min(1).max(lastPossiblePage),
  z.int().min(1).max(maxPageSize),
  z.union([z.strictObject({ after: z.string() }), z.strictObject({ before: z.string() })]),
]);

function decodeLinkCursor(text: string): Required<Page> | undefined {
  try {
    const [page, perPage, at] = cursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { page, perPage, at };
  } catch {
    return undefined;
  }
}

/** Reads a whole number of a request's parameters. If it appears twice, the last value wins. */
export function readWholeNumber(
  query: URLSearchParams,
  name: string,
  { otherwise, min = 1, max }: { otherwise: number; min?: number; max: number },
  problems: Problems,
): number {
  const text = query.getAll(name).at(-1);
  if (text === undefined) return otherwise;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  problems.add(name, 'out_of_range', `Must be a whole number from ${min} to ${max}.`, { min, max });
  return otherwise;
}

/** The variables that choose a page of a list. */
export function pagingVariables({ page, perPage, at }: Page): Record<string, unknown> {
  if (!at) return { first: perPage, offset: Math.min((page - 1) * perPage, maxOffset) };
  return 'after' in at ? { first: perPage, ...at } : { last: perPage, ...at };
}

/** The largest Int of GraphQL (32 bits). No tenant has as many rows, so a larger offset is beyond the last page as well. */
const maxOffset = 2 ** 31 - 1;

/** The result of a list's operation. */
export interface ListResult {
  /** As JSON. */
  rows: string;
  count: number;
  total: number;
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
}

/** @param connection as its resolver gave it */
export async function readList({ fields }: Selection, connection: unknown, context: Context): Promise<ListResult> {
  const execution = startExecution(context);
  const part = async (name: string): Promise<unknown> => await fields.get(name)?.resolve(connection, execution);
  const [nodes, total, pageInfo] = await Promise.all(['nodes', 'total_count', 'page_info'].map(part));
  return {
    rows: (await fields.get('nodes')?.write(nodes, execution)) ?? '[]',
    count: (nodes as unknown[]).length,
    total: total as number,
    pageInfo: pageInfo as ListResult['pageInfo'],
  };
}

/**
 * The list envelope (CONTRACT.md#envelope). The links to the next and the previous page have a cursor beside the page number,
 * so that a client that follows them sees each row once, even if rows are added or deleted meanwhile. `meta` and the links
 * agree with each other and with the rows: there is a next page if `to` is less than `total`, and a previous one if `from` is
 * greater than 1.
 * @param address the absolute URL of this list, with every query parameter
 * @returns JSON
 */
export function listEnvelope({ rows, count, total: counted, pageInfo }: ListResult, asked: Page, address: URL): string {
  const { perPage } = asked;
  const { startCursor, endCursor, hasNextPage: hasNext, hasPreviousPage: hasPrevious } = pageInfo;
  const position = getPosition(asked, { count, total: counted, hasNext, hasPrevious });
  const { total, currentPage, lastPage, from, to } = position;
  // Without URLs of their own: a URL writes itself anew with each parameter that is set.
  const [plain, placed] = [new URLSearchParams(address.search), new URLSearchParams(address.search)];
  plain.delete('cursor');
  const link = (number: number, at?: LinkPosition): string => {
    const query = at ? placed : plain;
    query.set('page', String(number));
    // As decodeLinkCursor() reads it.
    const cursor = at && Buffer.from(JSON.stringify([number, perPage, at]));
    if (cursor) query.set('cursor', cursor.toString('base64url'));
    return `${address.origin}${address.pathname}?${query}`;
  };
  let [prev, next]: (string | null)[] = [null, null];
  if (from === null || to === null || startCursor === null || endCursor === null) {
    // An empty page after all rows follows the last page; before all rows, the first page follows.
    if (total > 0 && currentPage > lastPage) prev = link(lastPage);
    if (total > 0 && currentPage <= lastPage) next = link(1);
  } else {
    if (from > 1) prev = link(Math.max(1, currentPage - 1), { before: startCursor });
    if (to < total) next = link(Math.min(currentPage + 1, lastPage), { after: endCursor });
  }
  const links = { first: link(1), last: link(lastPage), prev, next };
  const meta = { current_page: currentPage, per_page: perPage, total, last_page: lastPage, from, to };
  return `{"data":${rows},"links":${JSON.stringify(links)},"meta":${JSON.stringify(meta)}}`;
}
