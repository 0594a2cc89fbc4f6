/** How many requests one worker has under way for one webhook. */
const perWebhook = 8;
/** An endpoint that hasn't answered for so long keeps nobody waiting here. */
const patienceMs = 1000;
/** The longest that one is sent away for. */
const longestMs = 60_000;

/**
 * Who may send, of a worker's jobs. Of a webhook's, some send and some wait for their turn, here in memory: together at
 * most half as many as the jobs that could still be begun, so that one endpoint holds a part of the worker, and several
 * less each. Who finds no room, or waits too long, is sent away for a while, which the database is told.
 */
export class Lanes {
  readonly #places: number;
  readonly #lanes = new Map<string, Lane>();
  #jobs = 0;
  #closed = false;

  /** @param places how many jobs the worker has at once */
  constructor(places: number) {
    this.#places = places;
  }

  /** Counts a job in, whatever it then does; until `leave`. */
  enter(webhookId: string): Lane {
    this.#jobs += 1;
    const lane = this.#lanes.get(webhookId) ?? new Lane();
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  hasRoom(lane: Lane): boolean {
    return !this.#closed && (lane.length === 0 || lane.length < (this.#places - this.#jobs) / 2);
  }

  leave(webhookId: string): void {
    this.#jobs -= 1;
    if (this.#lanes.get(webhookId)?.length === 0) this.#lanes.delete(webhookId);
  }

  /** Sends all away who wait, and whoever comes. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) lane.close();
  }
}

/** What a worker has to send to one webhook. */
export class Lane {
  #sending = 0;
  readonly #waiting: ((mayStart: boolean) => void)[] = [];
  #impatient: NodeJS.Timeout | undefined;
  /** Milliseconds from one end to the next, of late. Taken for quick until it is known. */
  #paceMs = 1;
  #moved = performance.now();
  /** When the last who was sent away comes back. */
  #booked = 0;
  #closed = false;

  get length(): number {
    return this.#sending + this.#waiting.length;
  }

  /** @returns whether it may send now, having waited for its turn; `end` must follow then */
  async begin(): Promise<boolean> {
    if (this.#sending >= perWebhook) {
      this.#impatient ??= setTimeout(() => this.#sendAway(), patienceMs);
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    if (this.#sending === 0) this.#moved = performance.now();
    this.#sending += 1;
    return true;
  }

  end(): void {
    const now = performance.now();
    this.#paceMs += (now - this.#moved - this.#paceMs) / 16;
    this.#moved = now;
    const next = this.#waiting.shift();
    this.#impatient?.refresh();
    if (next) next(true);
    else this.#sending -= 1;
  }

  /** When one who is sent away should come back: after those who were sent away before, at the pace of late. */
  turn(): Date {
    const now = Date.now();
    if (this.#closed) return new Date(now);
    // An endpoint that hasn't answered for a while is as slow as that, whatever it was before. Else rather too early,
    // and be sent away again, than that the lane is empty meanwhile.
    const paceMs = Math.max(this.#paceMs / 2, (performance.now() - this.#moved) / perWebhook);
    this.#booked = Math.min(Math.max(this.#booked, now) + paceMs, now + longestMs);
    return new Date(this.#booked);
  }

  close(): void {
    this.#closed = true;
    this.#sendAway();
  }

  #sendAway(): void {
    clearTimeout(this.#impatient);
    this.#impatient = undefined;
    for (const away of this.#waiting.splice(0)) away(false);
  }
}
