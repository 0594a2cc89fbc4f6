import type { Holder } from '../../prisma/client.ts';
import { currentTime } from '../../prisma/clock.ts';

/** How many requests one worker sends to one webhook at a time. */
const maxPerWebhook = 8;
/** How long deliveries wait in memory for an endpoint that doesn't answer; then they are rescheduled. */
const maxWaitMs = 1000;
/** A delivery that is expected to wait for less waits in memory. Rescheduling costs more, for everybody. */
const shortWaitMs = 250;
/** The longest delay of a rescheduled delivery. */
const maxDelayMs = 60_000;

/**
 * Concurrency limiter per endpoint (bulkhead). Some of a webhook's jobs send, others wait in memory: together at most half as
 * many as the worker's free jobs, so that no endpoint takes all of the worker; and those of all webhooks of a holder at most as
 * many as the free ones, so that no holder does, but for one job of each webhook. While the endpoint answers so fast that the
 * wait is short, a webhook may have up to an eighth of all jobs. When the limit is reached or the wait is too long, the delivery
 * is rescheduled in the database.
 */
export class EndpointConcurrency {
  readonly #jobLimit: number;
  readonly #endpoints = new Map<string, EndpointSlots>();
  readonly #holders = new Map<Holder, HolderJobs>();
  #jobs = 0;
  #closed = false;

  /** @param jobLimit how many jobs the worker runs at a time */
  constructor(jobLimit: number) {
    this.#jobLimit = jobLimit;
  }

  /** Counts a job until `leave`, whether it sends or not. */
  enter(webhookId: string, holder: Holder): EndpointSlots {
    this.#jobs += 1;
    const known = this.#endpoints.get(webhookId);
    if (known) return known;
    const ofHolder = this.#holders.get(holder) ?? { length: 0, endpoints: 0 };
    ofHolder.endpoints += 1;
    this.#holders.set(holder, ofHolder);
    const slots = new EndpointSlots(ofHolder);
    this.#endpoints.set(webhookId, slots);
    return slots;
  }

  hasRoom(slots: EndpointSlots): boolean {
    if (this.#closed) return false;
    if (slots.length === 0) return true;
    const free = this.#jobLimit - this.#jobs;
    if (slots.length < free / 2 && slots.ofHolder.length < free) return true;
    return slots.length < this.#jobLimit / 8 && slots.expectedWaitMs < shortWaitMs;
  }

  leave(webhookId: string, holder: Holder): void {
    this.#jobs -= 1;
    const slots = this.#endpoints.get(webhookId);
    if (slots?.length !== 0) return;
    this.#endpoints.delete(webhookId);
    slots.ofHolder.endpoints -= 1;
    if (slots.ofHolder.endpoints === 0) this.#holders.delete(holder);
  }

  /** Reschedules all waiting jobs, and all later ones. */
  close(): void {
    this.#closed = true;
    for (const slots of this.#endpoints.values()) slots.close();
  }
}

/** The sending and waiting jobs of all webhooks of a holder, and how many of these have some. */
interface HolderJobs {
  length: number;
  endpoints: number;
}

/** The sending and waiting jobs of one webhook. */
class EndpointSlots {
  readonly ofHolder: HolderJobs;
  #sending = 0;
  readonly #waiting: ((mayStart: boolean) => void)[] = [];
  #waitTimer: NodeJS.Timeout | undefined;
  /** Moving average of the milliseconds between two completed requests. Assumed to be fast until it is known. */
  #paceMs = 1;
  #lastReleaseAt = performance.now();
  #hasResponded = false;
  /** The time that the last rescheduled delivery was given. */
  #rescheduledUntil = 0;
  #closed = false;

  constructor(ofHolder: HolderJobs) {
    this.ofHolder = ofHolder;
  }

  get length(): number {
    return this.#sending + this.#waiting.length;
  }

  /** How long another job would wait; infinite before the first response. */
  get expectedWaitMs(): number {
    return this.#hasResponded ? this.#waiting.length * Math.max(this.#paceMs, this.#leastPaceMs) : Infinity;
  }

  /** The time since the last response is a lower bound of the endpoint's pace. */
  get #leastPaceMs(): number {
    return (performance.now() - this.#lastReleaseAt) / maxPerWebhook;
  }

  /** Waits for a slot. @returns whether the job may send; if so, it must call `release` afterwards */
  async acquire(): Promise<boolean> {
    this.ofHolder.length += 1;
    if (this.#sending >= maxPerWebhook) {
      this.#waitTimer ??= setTimeout(() => this.#rescheduleWaiting(), maxWaitMs);
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    if (this.#sending === 0) this.#lastReleaseAt = performance.now();
    this.#sending += 1;
    return true;
  }

  release(): void {
    this.ofHolder.length -= 1;
    const now = performance.now();
    this.#paceMs += (now - this.#lastReleaseAt - this.#paceMs) / 16;
    this.#lastReleaseAt = now;
    this.#hasResponded = true;
    const next = this.#waiting.shift();
    this.#waitTimer?.refresh();
    if (next) next(true);
    else this.#sending -= 1;
  }

  /** The time for a rescheduled delivery: after those that were rescheduled before, at the recent pace. */
  nextAttemptAt(): Date {
    const now = currentTime().getTime();
    if (this.#closed) return new Date(now);
    // The estimate is rather too early than too late: too early may reschedule the delivery again, too late would leave slots
    // unused.
    const paceMs = Math.max(this.#paceMs / 2, this.#leastPaceMs);
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
    this.ofHolder.length -= this.#waiting.length;
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }
}
