import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import type { Holder } from '../../../prisma/client.ts';

/** Schedules CPU-bound work of many tenants fairly, one piece at a time. */
export interface FairScheduler<Key> {
  /** Resolves when it is the key's turn. The piece of work is the synchronous code that follows. */
  waitForTurn(key: Key): Promise<void>;
}

/** The pieces of one key that wait for their turn. */
type Queue = (() => void)[];

/**
 * Runs one piece of work per tick, then rests `rest` times as long as the tick took, so that other work isn't delayed by long
 * queues. Keys take turns, regardless of the lengths of their queues. Each key also pauses for `pauseMs` between two of its
 * pieces, because a piece causes more work than its tick.
 */
export function createFairScheduler<Key = Holder>({
  rest,
  pauseMs,
}: {
  rest: number;
  pauseMs: number;
}): FairScheduler<Key> {
  const queues = new Map<Key, Queue>(); // ordered by their next turn
  const pausing = new Map<Key, Queue>();
  let isBusy = false;

  const serve = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (const [key, queue] of queues) {
      queues.delete(key);
      pausing.set(key, queue);
      setTimeout(goOn, pauseMs, key);
      const start = performance.now();
      queue.shift()?.();
      await nextTick();
      await sleep(rest * (performance.now() - start));
    }
    isBusy = false;
  };
  const goOn = (key: Key): void => {
    const queue = pausing.get(key) ?? [];
    pausing.delete(key);
    if (queue.length === 0) return;
    queues.set(key, queue); // behind the others
    void serve();
  };

  return {
    waitForTurn: (key) =>
      new Promise((resolve) => {
        const queue = queues.get(key) ?? pausing.get(key);
        if (queue) queue.push(resolve);
        else queues.set(key, [resolve]);
        void serve();
      }),
  };
}
