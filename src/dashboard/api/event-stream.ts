import { useSyncExternalStore } from 'react';

// State of the event stream (server-sent events). The page has one, shared by all subscriptions.
const listeners = new Set<() => void>();
let current: StreamState = { connected: false, gaps: 0 };

interface StreamState {
  connected: boolean;
  /** How often the stream was opened after the page had asked for something. Events in between were missed. */
  gaps: number;
}

function change(next: StreamState): void {
  current = next;
  for (const listener of listeners) listener();
}

/**
 * Listeners for graphql-sse.
 * @param hasAsked whether the page shows, or waits for, something that it asked for
 */
export const streamEvents = (hasAsked: () => boolean) => ({
  connecting: (): void => change({ ...current, connected: false }),
  connected: (): void => change({ connected: true, gaps: current.gaps + (hasAsked() ? 1 : 0) }),
});

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
