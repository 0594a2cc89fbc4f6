import type { Page } from './list-envelope.ts';

/** The result of reading one page of a list. */
export interface PageRead {
  /** The number of rows on the page. */
  count: number;
  /** The number of rows of the list. It may have been counted shortly before or after the rows were read. */
  total: number;
  /** Whether there are rows after or before the page. Certain in the direction in which the page was read. */
  hasNext: boolean;
  hasPrevious: boolean;
}

/** The position of a page in its list. Its numbers agree with each other and with the rows of the page. */
export interface PagePosition {
  total: number;
  currentPage: number;
  lastPage: number;
  /** The positions of its first and last row; null on an empty page. */
  from: number | null;
  to: number | null;
}

/**
 * The position of a page that was requested by its number or by a link's cursor. For a cursor, the rows before the page are
 * not counted, because this would take longer on each further page. The page number is then that of a list without
 * changes since the first page. The position is exact at both ends of the list. Between them it is the expected one,
 * adjusted so that it agrees with the rows that are known to exist.
 */
export function getPosition(requested: Page, read: PageRead): PagePosition {
  const { perPage } = requested;
  const total = countedWith(requested, read);
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  if (read.count === 0)
    return { total, currentPage: emptyPage(requested, total, lastPage), lastPage, from: null, to: null };

  const from = firstRow(requested, read, total);
  const to = from + read.count - 1;
  const currentPage = to === total ? lastPage : Math.floor((from - 1) / perPage) + 1;
  return { total, currentPage, lastPage, from, to };
}

/** The total, adjusted if rows were added or deleted between the two reads. */
function countedWith({ page, perPage, at }: Page, { count, total, hasNext, hasPrevious }: PageRead): number {
  if (at) return Math.max(total, count + Number('after' in at ? hasNext : hasPrevious));
  const end = (page - 1) * perPage + count;
  if (hasNext) return Math.max(total, end + 1);
  return count > 0 ? end : Math.min(total, end);
}

/** The number of an empty page: beyond the last page; or the first, if all rows before a cursor were deleted. */
function emptyPage({ page, at }: Page, total: number, lastPage: number): number {
  if (at && 'before' in at) return 1;
  return at && total > 0 ? Math.max(page, lastPage + 1) : page;
}

function firstRow({ page, perPage, at }: Page, { count, hasNext, hasPrevious }: PageRead, total: number): number {
  const expected = (page - 1) * perPage + 1;
  if (!at) return expected;
  if ('after' in at) {
    const latest = total - count;
    return hasNext ? Math.min(expected, latest) : latest + 1;
  }
  if (!hasPrevious) return 1;
  return Math.max(2, Math.min(expected, total - count));
}
