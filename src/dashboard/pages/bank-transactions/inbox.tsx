import './inbox.css';
import { Paper } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { LoadError } from '../../errors/error-boundary.tsx';
import { isArrow } from '../../list/row-keys.ts';
import { usePageOfRows } from '../../list/list-state.ts';
import { useListQuery, type ListTableProps } from '../../list/list-table.tsx';
import { isTyping, useShortcuts } from '../../shortcuts/shortcuts.ts';
import { t } from '../../i18n/t.ts';
import { InboxContext, type Inbox as InboxActions } from './after-match.ts';
import { ExactMatches } from './exact-matches.tsx';
import { InboxList } from './inbox-list.tsx';
import { InboxPane } from './inbox-pane.tsx';
import { BankTransactionsQuery, columns } from './transaction-table.tsx';

/** The name of the selected transaction in the address. */
export const selectedParameter = 'selected';

/** Whether Enter would do nothing else: the focus is on a row, on a heading, or nowhere. */
const isFree = (): boolean => document.activeElement?.matches('body, h1, h2, [data-transaction]') ?? true;

/**
 * Unmatched transactions beside the selected one with its suggestions. The address has the selection, so that changes of the
 * list by others don't move it. J and K, or arrows in the list, move it; Enter confirms the best suggestion.
 */
export function Inbox({ list, filters, empty }: ListTableProps<typeof BankTransactionsQuery>): ReactNode {
  const { connection, fetching, error, refetch } = useListQuery({
    query: BankTransactionsQuery,
    columns,
    list,
    filters,
  });
  const [search, setSearch] = useSearchParams();
  const rows = connection?.nodes ?? [];
  const selected = search.get(selectedParameter) ?? undefined;
  const index = rows.findIndex(({ id }) => id === selected);
  const pane = useRef<HTMLDivElement>(null);
  /** Where the selection was last, for when others have matched it. */
  const lastIndex = useRef(0);
  /** The ids of transactions that were matched or ignored here, and may still be in the list. */
  const matched = useRef(new Set<string>());
  const awaited = useRef<string>(undefined);
  const undo = useRef<() => void>(undefined);

  const select = (id: string | undefined, hasFocus = true): void => {
    setSearch(
      (previous) => {
        const next = new URLSearchParams(previous);
        if (id === undefined) next.delete(selectedParameter);
        else next.set(selectedParameter, id);
        return next;
      },
      { replace: true },
    );
    if (!hasFocus) return;
    const row = id === undefined ? null : document.querySelector<HTMLElement>(`[data-transaction="${id}"]`);
    if (row) row.focus();
    else if (id === undefined) document.querySelector('h1')?.focus();
    else awaited.current = id;
  };
  /** Selects the first row after one of these, else the last one before them. */
  const goOn = (ids: ReadonlySet<string>, hasFocus: boolean): void => {
    for (const id of ids) matched.current.add(id);
    if (selected === undefined || !ids.has(selected)) return;
    const isLeft = ({ id }: { id: string }): boolean => !matched.current.has(id);
    const [before, after] = index >= 0 ? [index, index + 1] : [lastIndex.current, lastIndex.current];
    const next = rows.slice(after).find(isLeft) ?? rows.slice(0, before).findLast(isLeft);
    select(next?.id, hasFocus);
  };
  const page = usePageOfRows(connection, list);
  const move = (event: KeyboardEvent, step: 1 | -1): boolean => {
    // Outside of the list an arrow scrolls the page.
    if (isArrow(event) && !document.activeElement?.matches('[data-transaction]')) return false;
    const next = index >= 0 ? index + step : lastIndex.current + (step === 1 ? 0 : -1);
    const row = rows[next];
    if (row) select(row.id);
    else if (step === 1 && connection?.pageInfo.hasNextPage && connection.pageInfo.endCursor)
      list.goToPage({ after: connection.pageInfo.endCursor, page: page + 1 });
    return true;
  };
  const confirmBest = (event: KeyboardEvent): boolean => {
    if (!isFree()) return false;
    // A key that is held confirms one suggestion only.
    if (!event.repeat) pane.current?.querySelector<HTMLElement>('[data-best]')?.click();
    return true;
  };
  const undoLast = (event: KeyboardEvent): boolean => {
    // In a field it undoes typing.
    if (!undo.current || isTyping(event)) return false;
    undo.current();
    return true;
  };
  useShortcuts([
    { keys: ['j', 'ArrowDown'], label: t('Next row'), group: 'LIST', run: (event) => move(event, 1) },
    { keys: ['k', 'ArrowUp'], label: t('Row before'), group: 'LIST', run: (event) => move(event, -1) },
    { keys: ['Enter'], label: t('Confirm the best suggestion'), group: 'LIST', run: confirmBest },
    { keys: ['mod+Z'], label: t('Undo the last match'), group: 'LIST', run: undoLast },
  ]);

  const isBeyond = connection?.nodes.length === 0 && list.page > 1;
  useEffect(() => {
    if (index >= 0) lastIndex.current = index;
    if (isBeyond) return list.goToPage(undefined, true);
    const first = rows.find(({ id }) => !matched.current.has(id));
    if (selected === undefined && first) select(first.id, false);
  });

  // A message's button can undo a match after the inbox was left.
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  const latest = useRef({ goOn, select });
  useEffect(() => {
    latest.current = { goOn, select };
  });
  // They are called when a request is answered: by what is selected then.
  const actions: InboxActions = {
    goOn: (id) => latest.current.goOn(new Set([id]), true),
    bringBack: (ids) => {
      for (const id of ids) matched.current.delete(id);
      const last = ids.at(-1);
      if (last !== undefined && isHere.current) latest.current.select(last);
    },
    keepUndo: (undoNow) => {
      undo.current = undoNow;
    },
  };

  if (error && !connection) return <LoadError error={error} refetch={refetch} />;
  return (
    <InboxContext value={actions}>
      <ExactMatches onDone={(ids) => goOn(ids, false)} />
      {connection && rows.length === 0 && selected === undefined ? (
        <Paper withBorder radius="md" p="xl">
          {empty}
        </Paper>
      ) : (
        <div className="inbox">
          <InboxList
            connection={connection}
            list={list}
            isFetching={fetching}
            selected={selected}
            takeFocus={(id) => {
              const isAwaited = awaited.current === id;
              if (isAwaited) awaited.current = undefined;
              return isAwaited;
            }}
          />
          <div className="inbox-pane" ref={pane}>
            {selected !== undefined && <InboxPane key={selected} id={selected} />}
          </div>
        </div>
      )}
    </InboxContext>
  );
}
