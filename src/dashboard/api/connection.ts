import { useSyncExternalStore } from 'react';
import { t } from '../i18n/t.ts';

const listeners = new Set<() => void>();
/** Whether the last request reached the server. */
let reachable = true;
/** The queries of the page whose last result is kept, as the server couldn't answer again, or be reached: others may have been answered. */
const outdated = new Set<number>();

const tellListeners = (): void => {
  for (const listener of listeners) listener();
};

export function setReachable(next: boolean): void {
  if (reachable === next) return;
  reachable = next;
  tellListeners();
}

export function setOutdated(query: number, next: boolean): void {
  if (outdated.has(query) === next) return;
  if (next) outdated.add(query);
  else outdated.delete(query);
  tellListeners();
}

/** A sentence on what is wrong with the page's connection; undefined if nothing is. */
export const useConnectionProblem = (): string | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => {
      if (!reachable) return t('The server can’t be reached. What you see may be out of date.');
      return outdated.size > 0 ? t('Not everything could be loaded. What you see may be out of date.') : undefined;
    },
  );
