import { useSyncExternalStore } from 'react';

// How the connection that changes come by is doing. One of the page's, whatever asks for them.
const listeners = new Set<() => void>();
let now: StreamState = { connected: false, gaps: 0 };

export interface StreamState {
  connected: boolean;
  /** How often it broke off and came back: what happened meanwhile was missed. */
  gaps: number;
}

function change(next: StreamState): void {
  now = next;
  for (const listener of listeners) listener();
}

/** For graphql-sse, which tells whether it is not for the first time. */
export const streamEvents = {
  connecting: (): void => change({ ...now, connected: false }),
  connected: (again: boolean): void => change({ connected: true, gaps: now.gaps + (again ? 1 : 0) }),
};

export const useStream = (): StreamState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
