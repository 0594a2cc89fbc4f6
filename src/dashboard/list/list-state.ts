import { useSearchParams } from 'wouter';

export const pageSize = 25;

/** What a list asks of the server, besides its filters. */
interface PageVariables {
  first?: number;
  after?: string;
  last?: number;
  before?: string;
}

export interface Sort {
  field: string;
  direction: 'ASC' | 'DESC';
}

export interface ListState<Filter extends string> {
  /** Each filter as the address has it; undefined where it isn't set. */
  filters: Partial<Record<Filter, string>>;
  /** The order in the address, or the list's initial order. Undefined: newest first. */
  sort: Sort | undefined;
  /** The page's number, from 1: for people only, the cursor says where it is. */
  page: number;
  variables: PageVariables;
  /** Whether any filter is set. */
  filtered: boolean;
  /** Takes all filters away. */
  clear: () => void;
  /** Undefined or '' takes filters away. Back to the first page. */
  filter: (values: Partial<Record<Filter, string | undefined>>) => void;
  /** Ascending, then descending, then as the list begins. */
  sortBy: (field: string) => void;
  /** From the answer's pageInfo; undefined: the first page. */
  goToPage: (to: { after: string } | { before: string } | undefined) => void;
}

/**
 * The state of a list: its filters, order and page live in the address, so that a link or Back shows the same.
 * @param initial the order that it begins with; without one, newest first
 */
export function useListState<Filter extends string = never>(
  names: readonly Filter[] = [],
  initial?: Sort,
): ListState<Filter> {
  const [search, setSearch] = useSearchParams();
  const set = (change: (next: URLSearchParams) => void, replace: boolean): void =>
    setSearch(
      (previous) => {
        const next = new URLSearchParams(previous);
        for (const name of ['after', 'before', 'page']) next.delete(name);
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
    filter: (values) =>
      set((next) => {
        for (const [name, value] of Object.entries<string | undefined>(values)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
      }, true),
    sortBy: (field) =>
      set((next) => {
        const following = sortAfter(sort, initial, field);
        if (following === undefined) next.delete('sort');
        else next.set('sort', following);
      }, true),
    goToPage: (to) =>
      set((next) => {
        if (!to) return;
        for (const [name, cursor] of Object.entries(to)) next.set(name, cursor);
        next.set('page', String(page + ('after' in to ? 1 : -1)));
      }, false),
  };
}

/** How the address names the order that follows when a column is chosen; undefined: as the list begins. */
function sortAfter(sort: Sort | undefined, initial: Sort | undefined, field: string): string | undefined {
  const name = field.toLowerCase();
  if (sort?.field !== field) return name;
  // A list that begins with this column's largest has two orders by it, any other list three.
  if (initial?.field === field && initial.direction === 'DESC') return sort.direction === 'ASC' ? undefined : name;
  return sort.direction === 'ASC' ? `-${name}` : undefined;
}

function parseSort(text: string | null): Sort | undefined {
  if (!text) return undefined;
  const descending = text.startsWith('-');
  return { field: text.slice(descending ? 1 : 0).toUpperCase(), direction: descending ? 'DESC' : 'ASC' };
}

/** The `orderBy` of a list that can be sorted by `fields`; null: newest first. */
export function orderBy<Field extends string>(
  sort: Sort | undefined,
  fields: readonly Field[],
): { field: Field; direction: Sort['direction'] } | null {
  const field = fields.find((each) => each === sort?.field);
  return field && sort ? { field, direction: sort.direction } : null;
}

/** A filter's value if it is valid, else null: the address may contain anything. */
export const oneOf = <Value extends string>(value: string | undefined, values: readonly Value[]): Value | null =>
  values.find((each) => each === value) ?? null;
