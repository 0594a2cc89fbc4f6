import { useSyncExternalStore } from 'react';

// State of the event stream (server-sent events). The page has one, shared by all subscriptions.
const listeners = new Set<() => void>();
let connectedBefore = false;
let current: StreamState = { connected: false, gaps: 0 };

interface StreamState {
  connected: boolean;
  /**
   * How often the stream was connected again: after an interruption, or when the window was shown again. Events in between were missed,
   * also after what was fetched meanwhile.
   */
  gaps: number;
}

function change(next: StreamState): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Listeners for graphql-sse. */
export const streamEvents = {
  connecting: (): void => change({ ...current, connected: false }),
  connected: (reconnected: boolean): void => {
    change({ connected: true, gaps: current.gaps + (reconnected || connectedBefore ? 1 : 0) });
    connectedBefore = true;
  },
};

/**
 * Ends a stream in a task of its own. If a page is busy, an item and the end wait together. graphql-sse then reads both in one task,
 * misses the end, and doesn't connect again.
 */
export function endInOwnTask(response: Response): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { value } = await reader.read();
        if (value) return controller.enqueue(value);
        await nextTask();
        controller.close();
      } catch (error) {
        await nextTask();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

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
