import type { RefObject } from 'react';
import { t } from '../i18n/t.ts';
import { useShortcuts, type Shortcut } from '../shortcuts/shortcuts.ts';
import type { Selection } from './selection/use-selection.ts';

interface Options<Row extends { id: string }> {
  /** The element that has the rows. */
  table: RefObject<HTMLElement | null>;
  /** The element that has the actions of the selection. */
  bar: RefObject<HTMLElement | null>;
  rows: readonly Row[] | undefined;
  /** Undefined: rows can't be selected. */
  selection: Selection<Row> | undefined;
}

const findRows = (table: HTMLElement | null): HTMLElement[] =>
  [...(table?.querySelectorAll<HTMLElement>('tbody > tr') ?? [])].filter((row) => findLink(row) !== null);

/** The link that opens a row. It has the focus while keys move between rows. */
const findLink = (row: HTMLElement | undefined): HTMLElement | null =>
  row?.querySelector<HTMLElement>('td[data-lead] a') ?? null;

/** Whether it is an arrow, which scrolls the page where it moves nothing. */
export const isArrow = ({ key }: KeyboardEvent): boolean => key.startsWith('Arrow');

/** Keys that move between rows, open one, and select rows. The row is the one that has the focus. */
export function useRowKeys<Row extends { id: string }>({ table, bar, rows: data, selection }: Options<Row>): void {
  const move = (event: KeyboardEvent, by: number): boolean => {
    const rows = findRows(table.current);
    const at = findFocused(rows);
    // Outside of rows an arrow scrolls the page.
    if (rows.length === 0 || (at === -1 && isArrow(event))) return false;
    findLink(at === -1 ? rows[0] : rows[Math.min(Math.max(at + by, 0), rows.length - 1)])?.focus();
    return true;
  };
  const open = ({ target }: KeyboardEvent): boolean => {
    if (!(target instanceof HTMLInputElement)) return false; // a link or a button does it by itself
    const rows = findRows(table.current);
    const link = findLink(rows[findFocused(rows)]);
    link?.click();
    return link !== null;
  };
  const toggleFocused = (): boolean => {
    const row = data?.[findFocused(findRows(table.current))];
    if (row) selection?.toggle(row.id);
    return row !== undefined;
  };
  const clear = (): boolean => {
    const isSome = selection !== undefined && (selection.rows.length > 0 || selection.isSelecting);
    if (isSome) selection.clear();
    return isSome;
  };
  const goToActions = (): boolean => {
    const action = bar.current?.querySelector<HTMLElement>('.selection-actions button');
    action?.focus();
    return Boolean(action);
  };
  const moving: Shortcut[] = [
    { keys: ['j', 'ArrowDown'], label: t('Next row'), group: 'LIST', run: (event) => move(event, 1) },
    { keys: ['k', 'ArrowUp'], label: t('Row before'), group: 'LIST', run: (event) => move(event, -1) },
    { keys: ['Enter'], label: t('Open the row'), group: 'LIST', run: open },
  ];
  const selecting: Shortcut[] = [
    { keys: ['x'], label: t('Select the row, or no longer'), group: 'LIST', run: toggleFocused },
    { keys: ['shift+x'], label: t('Select all rows, or none'), group: 'LIST', run: () => selection?.toggleAll() },
    { keys: ['a'], label: t('Go to the actions of the selection'), group: 'LIST', run: goToActions },
    { keys: ['Escape'], label: t('Clear the selection'), group: 'LIST', run: clear },
  ];
  useShortcuts(selection ? [...moving, ...selecting] : moving);
}

const findFocused = (rows: readonly HTMLElement[]): number =>
  rows.findIndex((row) => row.contains(document.activeElement));
