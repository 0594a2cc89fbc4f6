import { TenantBusyError, TenantQueues } from './connection-limit.ts';
import { UnavailableError } from '../connection/unavailable.ts';
import { WorkerAwayError } from '../distribute/ask-worker.ts';
import type { Workers } from '../distribute/workers.ts';

/** The share of a pool's connections that may be in use for the tenants of one worker at once. */
const share = 1 / 2;

/**
 * Bounds how many of a pool's connections wait for one worker of Citus: if it hangs, the other workers' tenants have the rest.
 * Once it is known not to answer, its tenants are refused at once.
 */
export class WorkerShares {
  readonly #workers: Workers;
  readonly #most: number;
  readonly #timeoutMs: number | undefined;
  readonly #held = new Map<number, number>();
  readonly #queues = new TenantQueues<number>();
  /** End the waits for workers. */
  readonly #ends = new Map<number, AbortController>();

  /** @param timeoutMs how long to wait for a connection */
  constructor(workers: Workers, connections: number, timeoutMs: number | undefined) {
    this.#workers = workers;
    this.#most = Math.max(1, Math.floor(connections * share));
    this.#timeoutMs = timeoutMs;
    workers.observe((worker, isAway) => {
      if (!isAway) return;
      this.#ends.get(worker)?.abort(new WorkerAwayError(worker));
      this.#ends.delete(worker);
    });
  }

  /**
   * Takes a connection's place for a tenant. Waits while its worker has as many as one may.
   * @returns a function that gives it back
   * @throws WorkerAwayError; UnavailableError if there was none in time; the signal's reason once it is aborted
   */
  async enter(tenantId: string, signal: AbortSignal | undefined): Promise<() => void> {
    const worker = await this.#workers.find(tenantId).catch(() => undefined);
    if (worker === undefined) return () => {};
    if (this.#workers.isAway(worker)) throw new WorkerAwayError(worker);
    const held = this.#held.get(worker) ?? 0;
    if (held < this.#most) this.#held.set(worker, held + 1);
    else await this.#wait(worker, signal);
    try {
      const answered = this.#workers.waitFor(worker);
      return () => {
        answered();
        this.#giveBack(worker);
      };
    } catch (error) {
      this.#giveBack(worker);
      throw error;
    }
  }

  async #wait(worker: number, signal: AbortSignal | undefined): Promise<void> {
    const end = this.#ends.get(worker) ?? new AbortController();
    this.#ends.set(worker, end);
    try {
      const either = signal ? AbortSignal.any([signal, end.signal]) : end.signal;
      await this.#queues.wait(worker, { timeoutMs: this.#timeoutMs, signal: either });
    } catch (error) {
      if (!(error instanceof TenantBusyError)) throw error;
      throw new UnavailableError(`The worker with the nodeid ${worker} has too much to do`, { cause: error });
    }
  }

  #giveBack(worker: number): void {
    if (!this.#queues.takeNext(worker)) this.#held.set(worker, (this.#held.get(worker) ?? 1) - 1);
  }
}
