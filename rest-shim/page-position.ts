import type { Page } from './list-envelope.ts';

/** What was read of a list for one page. */
export interface PageRead {
  /** How many rows the page has. */
  count: number;
  /** How many the list has; may have been counted a moment before or after the rows were read. */
  total: number;
  /** Whether there are rows after the page, or before it: certain where the page was read towards them. */
  hasNext: boolean;
  hasPrevious: boolean;
}

/** The position of a page in its list. Its numbers agree with each other and with the rows of the page. */
export interface PagePosition {
  total: number;
  currentPage: number;
  lastPage: number;
  /** Numbers of its first and last row; null where it has none. */
  from: number | null;
  to: number | null;
}

/**
 * The position of a page that was asked for by its number or by a link's cursor. Beyond a cursor the number is what the
 * page would have if nothing had come or gone since the walk began: how many rows are before it is not counted, as that
 * takes the longer the further one walks. So the position is exact at both ends of the list; between them it is the
 * expected one, moved as little as it takes to leave room for the rows that are known to be there.
 */
export function positionOf(asked: Page, read: PageRead): PagePosition {
  const { perPage } = asked;
  const total = countedWith(asked, read);
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  if (read.count === 0)
    return { total, currentPage: emptyPage(asked, total, lastPage), lastPage, from: null, to: null };

  const from = firstRow(asked, read, total);
  const to = from + read.count - 1;
  const currentPage = to === total ? lastPage : Math.floor((from - 1) / perPage) + 1;
  return { total, currentPage, lastPage, from, to };
}

const rowsBefore = ({ page, perPage }: Page): number => (page - 1) * perPage;

/** The total, where rows that came or went between both reads would contradict it. */
function countedWith(asked: Page, { count, total, hasNext, hasPrevious }: PageRead): number {
  if (asked.at) return Math.max(total, count + Number('after' in asked.at ? hasNext : hasPrevious));
  const end = rowsBefore(asked) + count;
  if (hasNext) return Math.max(total, end + 1);
  return count > 0 ? end : Math.min(total, end);
}

/** The number of a page without rows: behind the last, or the first where all rows before a cursor are gone. */
function emptyPage({ page, at }: Page, total: number, lastPage: number): number {
  if (at && 'before' in at) return 1;
  return at && total > 0 ? Math.max(page, lastPage + 1) : page;
}

function firstRow(asked: Page, { count, hasNext, hasPrevious }: PageRead, total: number): number {
  const expected = rowsBefore(asked) + 1;
  if (!asked.at) return expected;
  if ('after' in asked.at) {
    const latest = total - count;
    return hasNext ? Math.min(expected, latest) : latest + 1;
  }
  if (!hasPrevious) return 1;
  return Math.max(2, Math.min(expected, total - count));
}
