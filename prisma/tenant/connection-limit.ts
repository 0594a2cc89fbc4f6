import type { Holder } from './holder.ts';

export interface WaitOptions {
  /** Milliseconds to wait. Without it, the wait has no limit. */
  timeoutMs?: number | undefined;
  /** Aborting it ends the wait. */
  signal?: AbortSignal | undefined;
}

/** Seconds after which a client should retry a request that was refused. */
const retryAfter = 5;

/** The tenant used its whole share of the connections during the wait. This is no fault of the service. */
export class TenantBusyError extends Error {
  readonly retryAfter = retryAfter;

  constructor() {
    super('The tenant holds all the connections that one tenant may');
  }
}

/**
 * Queues of those who wait because their holder has as much of something as one may, such as a pool's connections: one queue
 * for each, first come, first served. Who counts what a holder has asks here only then.
 */
export class TenantQueues<Key = Holder> {
  readonly #queues = new Map<Key, Set<() => void>>();

  /**
   * Waits for takeNext().
   * @throws TenantBusyError after `timeoutMs`; the signal's reason once it is aborted
   */
  wait(key: Key, { timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    const queue = this.#queues.get(key) ?? new Set();
    this.#queues.set(key, queue);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        queue.delete(proceed);
        if (queue.size === 0) this.#queues.delete(key);
      };
      const proceed = (): void => {
        leave();
        resolve();
      };
      const giveUp = (reason: unknown): void => {
        leave();
        reject(reason as Error);
      };
      const onAbort = (): void => giveUp(signal?.reason);
      const onTimeout = (): void => giveUp(new TenantBusyError());
      const timer = timeoutMs ? setTimeout(onTimeout, timeoutMs).unref() : undefined;
      signal?.addEventListener('abort', onAbort);
      queue.add(proceed);
    });
  }

  /**
   * Who has waited longest takes over what is given back.
   * @returns whether anybody did
   */
  takeNext(key: Key): boolean {
    const [next] = this.#queues.get(key) ?? [];
    next?.();
    return next !== undefined;
  }
}
