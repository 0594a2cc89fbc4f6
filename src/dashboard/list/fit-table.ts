import { useCallback, useLayoutEffect, useRef, type RefCallback } from 'react';

/** The least width of a table, in the page's font size. */
const leastWidth = 42;

/**
 * Marks a table that has no room: on a phone, and wherever it is wider than its place, as with amounts of thirteen digits on
 * a tablet. Its rows then have two lines, or are cards, and none of it is out of sight. Measured when the table has been
 * rendered, and when its place has another width.
 * @param rows what the table shows
 * @returns the ref of the element that scrolls, whose parent is marked
 */
export function useFittingTable(rows: unknown): RefCallback<HTMLElement> {
  const measured = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (measured.current && rows) fit(measured.current);
  }, [rows]);
  return useCallback((scroll: HTMLElement | null) => {
    measured.current = scroll;
    if (!scroll) return undefined;
    let width = scroll.clientWidth;
    const observer = new ResizeObserver(() => {
      // A marked table is higher: a change of its height alone would be measured without end.
      if (scroll.clientWidth === width) return;
      width = scroll.clientWidth;
      fit(scroll);
    });
    observer.observe(scroll);
    return () => observer.disconnect();
  }, []);
}

function fit(scroll: HTMLElement): void {
  const table = scroll.parentElement;
  if (!table) return;
  const mark = (): void => {
    if (scroll.scrollWidth > scroll.clientWidth) table.dataset['narrow'] = 'true';
  };
  const em = Number(getComputedStyle(document.documentElement).fontSize.replace('px', ''));
  if (scroll.clientWidth <= leastWidth * em) {
    table.dataset['narrow'] = 'true';
    return;
  }
  delete table.dataset['narrow'];
  mark();
  // Chromium's first answer may be that of the marked table.
  requestAnimationFrame(mark);
}
