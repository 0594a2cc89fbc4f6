/** How many requests one worker has under way for one webhook. */
const maxPerWebhook = 8;
/** An endpoint that hasn't answered for so long keeps nobody waiting here. */
const maxWaitMs = 1000;
/** The longest that one is sent away for. */
const maxDelayMs = 60_000;

/**
 * Who may send, of a worker's jobs. Of a webhook's, some send and some wait for their turn, here in memory: together at
 * most half as many as the jobs that could still be begun, so that one endpoint holds a part of the worker, and several
 * less each. Who finds no room, or waits too long, is sent away for a while, which the database is told.
 */
export class EndpointConcurrency {
  readonly #jobLimit: number;
  readonly #endpoints = new Map<string, EndpointSlots>();
  #jobs = 0;
  #closed = false;

  /** @param places how many jobs the worker has at once */
  constructor(places: number) {
    this.#jobLimit = places;
  }

  /** Counts a job in, whatever it then does; until `leave`. */
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

  /** Sends all away who wait, and whoever comes. */
  close(): void {
    this.#closed = true;
    for (const slots of this.#endpoints.values()) slots.close();
  }
}

/** What a worker has to send to one webhook. */
export class EndpointSlots {
  #sending = 0;
  readonly #waiting: ((mayStart: boolean) => void)[] = [];
  #waitTimer: NodeJS.Timeout | undefined;
  /** Milliseconds from one end to the next, of late. Taken for quick until it is known. */
  #paceMs = 1;
  #lastReleaseAt = performance.now();
  /** When the last who was sent away comes back. */
  #rescheduledUntil = 0;
  #closed = false;

  get length(): number {
    return this.#sending + this.#waiting.length;
  }

  /** @returns whether it may send now, having waited for its turn; `end` must follow then */
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

  /** When one who is sent away should come back: after those who were sent away before, at the pace of late. */
  nextAttemptAt(): Date {
    const now = Date.now();
    if (this.#closed) return new Date(now);
    // An endpoint that hasn't answered for a while is as slow as that, whatever it was before. Else rather too early,
    // and be sent away again, than that the slots is empty meanwhile.
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
    for (const away of this.#waiting.splice(0)) away(false);
  }
}
