import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';

/** Lets work that takes the process's own time begin piece by piece. */
export interface Turns {
  /** Resolves when it is one's turn: what is done before anything is awaited is the piece. */
  take(who: string): Promise<void>;
}

/**
 * One piece a tick, then a rest `rest` times as long as the tick took, so that there is time for everybody else however
 * much is waiting. Those who wait have their turns one after the other, however much each has brought.
 */
export function createTurns({ rest }: { rest: number }): Turns {
  const lines = new Map<string, (() => void)[]>(); // in the order in which it is their turn
  let isBusy = false;

  const serve = async (): Promise<void> => {
    isBusy = true;
    for (const [who, line] of lines) {
      lines.delete(who);
      const start = performance.now();
      line.shift()?.();
      if (line.length > 0) lines.set(who, line); // behind the others
      await nextTick();
      await sleep(rest * (performance.now() - start));
    }
    isBusy = false;
  };

  return {
    take: (who) =>
      new Promise((resolve) => {
        const line = lines.get(who);
        if (line) line.push(resolve);
        else lines.set(who, [resolve]);
        if (!isBusy) void serve();
      }),
  };
}
