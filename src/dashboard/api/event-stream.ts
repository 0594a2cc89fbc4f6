import { useSyncExternalStore } from 'react';

// State of the event stream (server-sent events). The page has one, shared by all subscriptions.
const listeners = new Set<() => void>();
let current: StreamState = { connected: false, gaps: 0 };

interface StreamState {
  connected: boolean;
  /** How often the stream has reconnected. Events in between were missed. */
  gaps: number;
}

function change(next: StreamState): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Listeners for graphql-sse. */
export const streamEvents = {
  connecting: (): void => change({ ...current, connected: false }),
  connected: (reconnected: boolean): void => change({ connected: true, gaps: current.gaps + (reconnected ? 1 : 0) }),
};

const longestWaitMs = 30_000;

/**
 * Waits before the stream is opened again: longer after each failure, but no longer than that, so that a page is live soon after a
 * long interruption. The random part keeps many pages from coming back at the same moment.
 */
export const waitToReconnect = (failures: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.min(1000 * 2 ** failures, longestWaitMs) + 300 + Math.random() * 2700);
  });

export const useStream = (): StreamState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
