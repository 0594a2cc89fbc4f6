/** How many requests one worker sends to one webhook at a time. */
const maxPerWebhook = 8;
/** How long deliveries wait in memory for an endpoint that doesn't answer; then they are rescheduled. */
const maxWaitMs = 1000;
/** The longest delay of a rescheduled delivery. */
const maxDelayMs = 60_000;

/**
 * Concurrency limiter per endpoint (bulkhead). Some of a webhook's jobs send, others wait in memory: together at most half as
 * many as the worker's free jobs, so that no endpoint takes all of the worker. When the limit is reached or the wait is too
 * long, the delivery is rescheduled in the database.
 */
export class EndpointConcurrency {
  readonly #jobLimit: number;
  readonly #endpoints = new Map<string, EndpointSlots>();
  #jobs = 0;
  #closed = false;

  /** @param jobLimit how many jobs the worker runs at a time */
  constructor(jobLimit: number) {
    this.#jobLimit = jobLimit;
  }

  /** Counts a job until `leave`, whether it sends or not. */
  enter(webhookId: string): EndpointSlots {
    this.#jobs += 1;
    const slots = this.#endpoints.get(webhookId) ?? new EndpointSlots();
    this.#endpoints.set(webhookId, slots);
    return slots;
  }

  hasRoom(slots: EndpointSlots): boolean {
    return !this.#closed && (slots.length === 0 || slots.length < (this.#jobLimit - this.#jobs) / 2);
  }

  leave(webhookId: string): void {
    this.#jobs -= 1;
    if (this.#endpoints.get(webhookId)?.length === 0) this.#endpoints.delete(webhookId);
  }

  /** Reschedules all waiting jobs, and all later ones. */
  close(): void {
    this.#closed = true;
    for (const slots of this.#endpoints.values()) slots.close();
  }
}

/** The sending and waiting jobs of one webhook. */
class EndpointSlots {
  #sending = 0;
  readonly #waiting: ((mayStart: boolean) => void)[] = [];
  #waitTimer: NodeJS.Timeout | undefined;
  /** Moving average of the milliseconds between two completed requests. Assumed to be fast until it is known. */
  #paceMs = 1;
  #lastReleaseAt = performance.now();
  /** The time that the last rescheduled delivery was given. */
  #rescheduledUntil = 0;
  #closed = false;

  get length(): number {
    return this.#sending + this.#waiting.length;
  }

  /** Waits for a slot. @returns whether the job may send; if so, it must call `release` afterwards */
  async acquire(): Promise<boolean> {
    if (this.#sending >= maxPerWebhook) {
      this.#waitTimer ??= setTimeout(() => this.#rescheduleWaiting(), maxWaitMs);
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    if (this.#sending === 0) this.#lastReleaseAt = performance.now();
    this.#sending += 1;
    return true;
  }

  release(): void {
    const now = performance.now();
    this.#paceMs += (now - this.#lastReleaseAt - this.#paceMs) / 16;
    this.#lastReleaseAt = now;
    const next = this.#waiting.shift();
    this.#waitTimer?.refresh();
    if (next) next(true);
    else this.#sending -= 1;
  }

  /** The time for a rescheduled delivery: after those that were rescheduled before, at the recent pace. */
  nextAttemptAt(): Date {
    const now = Date.now();
    if (this.#closed) return new Date(now);
    // The time since the last answer is a lower bound of the endpoint's pace. The estimate is rather too early than too late:
    // too early may reschedule the delivery again, too late would leave slots unused.
    const paceMs = Math.max(this.#paceMs / 2, (performance.now() - this.#lastReleaseAt) / maxPerWebhook);
    this.#rescheduledUntil = Math.min(Math.max(this.#rescheduledUntil, now) + paceMs, now + maxDelayMs);
    return new Date(this.#rescheduledUntil);
  }

  close(): void {
    this.#closed = true;
    this.#rescheduleWaiting();
  }

  #rescheduleWaiting(): void {
    clearTimeout(this.#waitTimer);
    this.#waitTimer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
