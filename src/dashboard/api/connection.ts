import { useSyncExternalStore } from 'react';

/** Whether the last request reached the server. */
const listeners = new Set<() => void>();
let reachable = true;

export function setReachable(next: boolean): void {
  if (reachable === next) return;
  reachable = next;
  for (const listener of listeners) listener();
}

export const useReachable = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => reachable,
  );
