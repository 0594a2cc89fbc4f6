/** A request for a connection that waits until its tenant holds fewer. */
type Waiting = () => void;

export interface WaitOptions {
  /** How long to wait, in milliseconds; without it, for as long as it takes. */
  timeoutMs?: number | undefined;
  /** Nobody waits any more once it is aborted. */
  signal?: AbortSignal | undefined;
}

/** Seconds after which who was refused a connection may ask again. */
const retryAfter = 5;

/** The tenant held as many connections as one may, for as long as anybody waits: no fault of ours. */
export class TenantBusyError extends Error {
  readonly retryAfter = retryAfter;

  constructor() {
    super('The tenant holds all the connections that one tenant may');
  }
}

/** The share of a pool's connections that one tenant may hold at once. */
const share = 1 / 4;

/**
 * Bounds how many connections of a pool one tenant holds at once, so that the others always find some. What a tenant
 * asks for beyond that waits in a queue of that tenant, first come, first served.
 */
export class TenantLimit {
  /** Connections that one tenant may hold: a quarter of the pool, at least one. */
  readonly most: number;
  readonly #held = new Map<string, number>();
  readonly #queues = new Map<string, Set<Waiting>>();

  /** @param size how many connections the pool has */
  constructor(size: number) {
    this.most = Math.max(1, Math.floor(size * share));
  }

  /**
   * Waits until the tenant may take one more connection.
   * @returns what is to be called once that connection is given back
   * @throws TenantBusyError after `timeoutMs`; the signal's reason once it is aborted
   */
  async acquire(tenantId: string, options: WaitOptions = {}): Promise<() => void> {
    options.signal?.throwIfAborted();
    const held = this.#held.get(tenantId) ?? 0;
    if (held < this.most) this.#held.set(tenantId, held + 1);
    else await this.#wait(tenantId, options);
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#giveBack(tenantId);
    };
  }

  /** Whoever waited longest takes over the place. */
  #giveBack(tenantId: string): void {
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
