import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';

/** Lets work that takes the process's own time begin piece by piece. */
export interface FairScheduler {
  /** Resolves when it is one's turn: what is done before anything is awaited is the piece. */
  waitForTurn(key: string): Promise<void>;
}

/** What one has brought and that waits for its turn. */
type Queue = (() => void)[];

/**
 * One piece a tick, then a rest `rest` times as long as the tick took, so that there is time for everybody else however
 * much is waiting. Those who wait have their turns one after the other, however much each has brought; and between two
 * of its own each pauses for `pauseMs`, as there is more to a piece than its tick.
 */
export function createFairScheduler({ rest, pauseMs }: { rest: number; pauseMs: number }): FairScheduler {
  const queues = new Map<string, Queue>(); // in the order in which it is their turn
  const pausing = new Map<string, Queue>();
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
  const goOn = (key: string): void => {
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
