import { useState } from 'react';
import { useSearchParams } from 'wouter';

export const pageSize = 25;

/** A query's variables for one page of a list. */
export interface PageVariables {
  first?: number;
  after?: string;
  last?: number;
  before?: string;
}

export interface Sort<Field extends string = string> {
  field: Field;
  direction: 'ASC' | 'DESC';
}

export interface ListState<Filter extends string> {
  /** The values of the filters that are set. */
  filters: Partial<Record<Filter, string>>;
  /** The order in the address, or the list's initial order. Undefined: newest first. */
  sort: Sort | undefined;
  /** The page's number, from 1. It is only shown: the cursor determines the page. */
  page: number;
  variables: PageVariables;
  /** Whether any filter is set. */
  filtered: boolean;
  /** Clears all filters. */
  clear: () => void;
  /** Sets a filter, or clears it by undefined or ''. Shows the first page. */
  filter: (name: Filter, value: string | undefined) => void;
  /** Sorts ascending, then descending, then in the initial order. */
  sortBy: (field: string) => void;
  /** Opens the page after or before a cursor; undefined opens the first page. With `replace`, Back doesn't lead to the former one. */
  goToPage: (to: { after?: string; before?: string; page: number } | undefined, replace?: boolean) => void;
}

/** The address's parameters for the list's first page. */
export function firstPage(search: URLSearchParams): URLSearchParams {
  const first = new URLSearchParams(search);
  for (const name of ['after', 'before', 'page', 'selected']) first.delete(name);
  return first;
}

/**
 * The state of a list. The URL holds its filters, order and page, so that a link or Back shows the same rows.
 * @param initial the initial order; without one, newest first
 */
export function useListState<Filter extends string = never>(
  names: readonly Filter[] = [],
  initial?: Sort,
): ListState<Filter> {
  const [search, setSearch] = useSearchParams();
  const set = (change: (next: URLSearchParams) => void, replace: boolean): void =>
    setSearch(
      (previous) => {
        const next = firstPage(previous);
        change(next);
        return next;
      },
      { replace },
    );
  const sort = parseSort(search.get('sort')) ?? initial;
  const [after, before] = [search.get('after'), search.get('before')];
  const page = Math.max(1, Math.trunc(Number(search.get('page'))) || 1);
  const filters = Object.fromEntries(
    names.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  ) as Partial<Record<Filter, string>>;
  return {
    filters,
    filtered: Object.keys(filters).length > 0,
    clear: () =>
      set((next) => {
        for (const name of names) next.delete(name);
      }, true),
    sort,
    page: after || before ? page : 1,
    variables: before ? { last: pageSize, before } : { first: pageSize, ...(after && { after }) },
    filter: (name, value) =>
      set((next) => {
        if (value) next.set(name, value);
        else next.delete(name);
      }, true),
    sortBy: (field) =>
      set((next) => {
        const following = sortAfter(sort, initial, field);
        if (following === undefined) next.delete('sort');
        else next.set('sort', following);
      }, true),
    goToPage: (to, replace = false) =>
      set(
        (next) => {
          for (const [name, value] of Object.entries(to ?? {})) next.set(name, String(value));
        },
        // Who clicks again until the page is loaded wants to go there once.
        replace || ((to?.after ?? null) === after && (to?.before ?? null) === before),
      ),
  };
}

/** The number of the page that rows are of. Until another one is loaded, rows and cursors are of the one before. */
export function usePageOfRows(rows: object | undefined, { page }: ListState<never>): number {
  const [shown, setShown] = useState({ rows, page });
  if (shown.rows === rows) return shown.page;
  setShown({ rows, page });
  return page;
}

/** The URL's value for the next order when a column is clicked; undefined for the initial order. */
function sortAfter(sort: Sort | undefined, initial: Sort | undefined, field: string): string | undefined {
  const name = field.toLowerCase();
  if (sort?.field !== field) return name;
  // If the initial order is this column descending, there are two orders by it; otherwise three.
  if (initial?.field === field && initial.direction === 'DESC') return sort.direction === 'ASC' ? undefined : name;
  return sort.direction === 'ASC' ? `-${name}` : undefined;
}

function parseSort(text: string | null): Sort | undefined {
  if (!text) return undefined;
  const descending = text.startsWith('-');
  return { field: text.slice(descending ? 1 : 0).toUpperCase(), direction: descending ? 'DESC' : 'ASC' };
}

/** The `orderBy` of a list that can be sorted by `fields`; empty: newest first. */
export function orderBy<Field extends string>(sort: Sort | undefined, fields: readonly Field[]): Sort<Field>[] {
  const field = fields.find((each) => each === sort?.field);
  return field && sort ? [{ field, direction: sort.direction }] : [];
}

/** A filter's value if it is one of `values`, else undefined: the URL may contain anything. */
export const findOneOf = <Value extends string>(
  value: string | undefined,
  values: readonly Value[],
): Value | undefined => values.find((each) => each === value);

/**
 * The keys of a record, in order. For the values of a schema's enum: TypeScript requires a record of them to be complete,
 * so that a new value can't be forgotten.
 */
export const getKeys = <Key extends string>(record: Record<Key, unknown>): Key[] => Object.keys(record) as Key[];
