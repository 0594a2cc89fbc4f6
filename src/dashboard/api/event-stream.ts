import { useSyncExternalStore } from 'react';

// State of the event stream (server-sent events). The page has one, shared by all subscriptions.
const listeners = new Set<() => void>();
let now: StreamState = { connected: false, gaps: 0 };

export interface StreamState {
  connected: boolean;
  /** How often the stream was interrupted and reconnected: changes in between were missed. */
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
