import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';

/** Lets work that takes the process's own time begin piece by piece. */
export interface Turns {
  /** Resolves when it is one's turn: what is done before anything is awaited is the piece. */
  take(who: string): Promise<void>;
}

/** What one has brought and that waits for its turn. */
type Line = (() => void)[];

/**
 * One piece a tick, then a rest `rest` times as long as the tick took, so that there is time for everybody else however
 * much is waiting. Those who wait have their turns one after the other, however much each has brought; and between two
 * of its own each pauses for `pauseMs`, as there is more to a piece than its tick.
 */
export function createTurns({ rest, pauseMs }: { rest: number; pauseMs: number }): Turns {
  const lines = new Map<string, Line>(); // in the order in which it is their turn
  const pausing = new Map<string, Line>();
  let isBusy = false;

  const serve = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (const [who, line] of lines) {
      lines.delete(who);
      pausing.set(who, line);
      setTimeout(goOn, pauseMs, who);
      const start = performance.now();
      line.shift()?.();
      await nextTick();
      await sleep(rest * (performance.now() - start));
    }
    isBusy = false;
  };
  const goOn = (who: string): void => {
    const line = pausing.get(who) ?? [];
    pausing.delete(who);
    if (line.length === 0) return;
    lines.set(who, line); // behind the others
    void serve();
  };

  return {
    take: (who) =>
      new Promise((resolve) => {
        const line = lines.get(who) ?? pausing.get(who);
        if (line) line.push(resolve);
        else lines.set(who, [resolve]);
        void serve();
      }),
  };
}
