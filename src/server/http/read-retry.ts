import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionLost } from '../../../prisma/client.ts';

/** The pauses between two attempts, in milliseconds: the first at most, and any at most. */
const firstPauseMs = 50;
const longestPauseMs = 1000;
/** A database that is away for longer than a restart takes is not waited for: requests would pile up. */
const longestOutageMs = 30_000;

/** Tries reads again while the database is away, within the time of each request. */
export class ReadRetry {
  /** Since when nothing was read; undefined while the database answers. */
  #awaySince: number | undefined;
  #lastFailure = -Infinity;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * @param work writes nothing, so that it can be repeated
   * @param signal ends the attempts when it is aborted
   */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await work();
        this.#awaySince = undefined;
        return result;
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        if (signal.aborted || this.#isAwayForLong()) throw error;
        const pause = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs);
        await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {
          throw error;
        });
      }
    }
  }

  #isAwayForLong(): boolean {
    const now = this.#now();
    // A failure that long ago was of another outage.
    if (this.#awaySince === undefined || now - this.#lastFailure > longestOutageMs) this.#awaySince = now;
    this.#lastFailure = now;
    return now - this.#awaySince > longestOutageMs;
  }
}
