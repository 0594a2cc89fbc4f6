import type { Problems } from '../schema/errors.ts';
import { defaultPage, maxPage } from '../schema/page.ts';

export interface Page {
  page: number;
  perPage: number;
}

export const lastPossiblePage = 1_000_000_000;

/** Reads `page` and `per_page`; what they may be is decided in decisions, 1. */
export function readPage(query: URLSearchParams, problems: Problems): Page {
  return {
    page: wholeNumber(query, 'page', 1, lastPossiblePage, problems),
    perPage: wholeNumber(query, 'per_page', defaultPage, maxPage, problems),
  };
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number, max: number, problems: Problems): number {
  const text = query.getAll(name).at(-1);
  if (text === undefined) return otherwise;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= max) return number;
  problems.add(name, `Must be a whole number from 1 to ${max}.`);
  return otherwise;
}

/** GraphQL's Int has 32 bits, and no tenant has that many rows: what lies beyond is past the last page just the same. */
export const offsetOf = ({ page, perPage }: Page): number => Math.min((page - 1) * perPage, 2 ** 31 - 1);

/**
 * The list envelope (contract, 2; decisions, 1).
 * @param address of this list, absolute, with every query parameter
 */
export function envelope(data: unknown[], total: number, { page, perPage }: Page, address: URL): object {
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const link = (to: number): string => {
    const url = new URL(address);
    url.searchParams.set('page', String(to));
    return url.href;
  };
  const from = (page - 1) * perPage + 1;
  return {
    data,
    links: {
      first: link(1),
      last: link(lastPage),
      prev: page > 1 && total > 0 ? link(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? link(page + 1) : null,
    },
    meta: {
      current_page: page,
      per_page: perPage,
      total,
      last_page: lastPage,
      from: data.length > 0 ? from : null,
      to: data.length > 0 ? from + data.length - 1 : null,
    },
  };
}
