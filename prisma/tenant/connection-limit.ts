/** Resumes a request that waits until its tenant holds fewer connections. */
type Waiting = () => void;

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
 * Limits what one tenant holds of something at once, such as a pool's connections, so that other tenants always get some.
 * Further requests of the tenant wait in a queue of that tenant, first come, first served.
 */
export class TenantLimit {
  readonly #max: number;
  readonly #held = new Map<string, number>();
  readonly #queues = new Map<string, Set<Waiting>>();

  /** @param max how many one tenant may hold */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Waits until the tenant may take one more connection.
   * @returns a function to call when that connection is released
   * @throws TenantBusyError after `timeoutMs`; the signal's reason once it is aborted
   */
  async acquire(tenantId: string, options: WaitOptions = {}): Promise<() => void> {
    options.signal?.throwIfAborted();
    const held = this.#held.get(tenantId) ?? 0;
    if (held < this.#max) this.#held.set(tenantId, held + 1);
    else await this.#wait(tenantId, options);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release(tenantId);
    };
  }

  /** The request that has waited longest takes over the connection's slot. */
  #release(tenantId: string): void {
    const [next] = this.#queues.get(tenantId) ?? [];
    if (next) return next();
    const held = (this.#held.get(tenantId) ?? 0) - 1;
    if (held > 0) this.#held.set(tenantId, held);
    else this.#held.delete(tenantId);
  }

  #wait(tenantId: string, { timeoutMs, signal }: WaitOptions): Promise<void> {
    const queue = this.#queues.get(tenantId) ?? new Set();
    this.#queues.set(tenantId, queue);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        queue.delete(waiting);
        if (queue.size === 0) this.#queues.delete(tenantId);
      };
      const waiting = (): void => {
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
      queue.add(waiting);
    });
  }
}
