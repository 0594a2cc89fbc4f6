import { useRef, useState } from 'react';

interface Row {
  id: string;
}

interface State {
  /** The page of the list to which the selection belongs. */
  page: string;
  ids: ReadonlySet<string>;
  /** Whether a phone, which has no room for it otherwise, shows what selects rows. */
  isSelecting: boolean;
}

export interface Selection<R extends Row> {
  rows: readonly R[];
  has: (row: R) => boolean;
  areAll: boolean;
  isSelecting: boolean;
  /** Selects a row, or no longer. @param isRange whether all rows since the last one follow it */
  toggle: (id: string, isRange?: boolean) => void;
  /** Selects all rows of the page, or none. */
  toggleAll: () => void;
  /** Selects these rows only. */
  select: (ids: Iterable<string>) => void;
  setSelecting: (isSelecting: boolean) => void;
  /** Selects none, and ends selecting. */
  clear: () => void;
}

const none = (page: string): State => ({ page, ids: new Set(), isSelecting: false });

/**
 * The rows of a list's page that are selected. They stay selected when the page is fetched again, as long as they are on it.
 * @param page what the page shows: another filter, order, or page begins without a selection
 * @param rows undefined while they are loading
 */
export function useSelection<R extends Row>(page: string, rows: readonly R[] | undefined): Selection<R> {
  const [stored, setState] = useState<State>(() => none(page));
  const anchor = useRef<string>(undefined);
  const state = stored.page === page ? withoutGone(stored, rows) : none(page);
  if (state !== stored) setState(state);
  const all = rows ?? [];
  const change = (ids: Iterable<string>): void => setState({ ...state, ids: new Set(ids) });
  const selected = all.filter(({ id }) => state.ids.has(id));
  const areAll = all.length > 0 && selected.length === all.length;
  return {
    rows: selected,
    has: ({ id }) => state.ids.has(id),
    areAll,
    isSelecting: state.isSelecting,
    toggle: (id, isRange = false) => {
      const isOn = !state.ids.has(id);
      const at = all.findIndex((row) => row.id === id);
      const from = isRange ? all.findIndex((row) => row.id === anchor.current) : -1;
      const range = from === -1 ? [id] : all.slice(Math.min(from, at), Math.max(from, at) + 1).map((row) => row.id);
      anchor.current = id;
      const ids = new Set(state.ids);
      for (const each of range) {
        if (isOn) ids.add(each);
        else ids.delete(each);
      }
      change(ids);
    },
    toggleAll: () => change(areAll ? [] : all.map(({ id }) => id)),
    select: change,
    setSelecting: (isSelecting) => setState({ ...none(page), isSelecting }),
    clear: () => setState(none(page)),
  };
}

/** The selection without rows that are no longer on the page. */
function withoutGone(state: State, rows: readonly Row[] | undefined): State {
  if (!rows || state.ids.size === 0) return state;
  const present = new Set(rows.map(({ id }) => id));
  const ids = [...state.ids].filter((id) => present.has(id));
  return ids.length === state.ids.size ? state : { ...state, ids: new Set(ids) };
}
