import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useStream } from './event-stream.ts';

/** How long a page waits for further changes at least, and between attempts to fetch. In milliseconds. */
const step = 400;

/** A hidden window has no subscription, because browsers allow few connections. */
export const useVisible = (): boolean => useDocumentVisibility() === 'visible';

/**
 * Fetches again when a subscription says that something has changed, and after changes may have been missed: when the
 * connection was interrupted, or when the window was hidden.
 * @param change the subscription's last result
 * @param pause after a fetch, changes are collected for so long, because hundreds may come within a second. In milliseconds
 * @param mayFetch whether it may be done now. If not, it is tried again later
 */
export function useFetchAgain(
  change: unknown,
  fetchAgain: () => void,
  pause: number,
  mayFetch: () => boolean = () => true,
): void {
  const visible = useVisible();
  const { gaps } = useStream();
  const last = useRef({ change, gaps, visible });
  const timer = useRef<ReturnType<typeof setInterval>>(undefined);
  const lastFetch = useRef(Number.NEGATIVE_INFINITY);
  const tryNow = useEffectEvent(() => {
    if (!mayFetch() || performance.now() - lastFetch.current < pause) return;
    lastFetch.current = performance.now();
    clearInterval(timer.current);
    timer.current = undefined;
    fetchAgain();
  });
  const start = useEffectEvent(() => (timer.current ??= setInterval(() => tryNow(), step)));
  useEffect(() => {
    const before = last.current;
    last.current = { change, gaps, visible };
    const missed = gaps !== before.gaps || (visible && !before.visible);
    if (missed || (change && change !== before.change)) start();
  }, [change, gaps, visible]);
  useEffect(() => () => clearInterval(timer.current), []);
}
