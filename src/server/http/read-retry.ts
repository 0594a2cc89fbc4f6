import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionLost } from '../../../prisma/client.ts';

/** The pauses between two attempts, in milliseconds: the first at most, and any at most. */
const firstPauseMs = 50;
const longestPauseMs = 1000;
/** A database that is away for longer than a restart takes is not waited for: requests would pile up. */
const longestOutageMs = 30_000;

/** Tries reads again while the database is away, within the time of each request. */
export class ReadRetry {
  /** Since when reads fail; undefined once one succeeded again. */
  #awaySince: number | undefined;
  #lastFailure = -Infinity;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Tries work again that has failed.
   * @param failure the error of the first attempt; thrown if another attempt is of no use
   * @param work writes nothing, so that it can be repeated
   * @param signal ends the attempts when it is aborted
   */
  async after<Result>(failure: unknown, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    let error = failure;
    for (let attempt = 0; ; attempt += 1) {
      if (!isConnectionLost(error) || signal.aborted || this.#isAwayForLong()) throw error;
      const pause = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs);
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {
        throw error;
      });
      try {
        const result = await work();
        this.#awaySince = undefined;
        return result;
      } catch (again) {
        error = again;
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
