import type { Holder } from '../../../prisma/client.ts';

/** Runs one task of each holder at a time, so that nobody waits for all of another tenant's. */
export class FairLimiter<Key = Holder> {
  readonly #holders = new Map<Key, { limiter: ConcurrencyLimiter; pending: number }>();

  async run<Result>(holder: Key, work: () => Promise<Result>): Promise<Result> {
    const own = this.#holders.get(holder) ?? { limiter: new ConcurrencyLimiter(1), pending: 0 };
    this.#holders.set(holder, own);
    own.pending += 1;
    try {
      return await own.limiter.run(work);
    } finally {
      own.pending -= 1;
      if (own.pending === 0) this.#holders.delete(holder);
    }
  }

  /** How many tasks a further one would wait for, where all holders take turns. */
  countBefore(holder: Key): number {
    const turn = (this.#holders.get(holder)?.pending ?? 0) + 1;
    let before = turn - 1;
    for (const [other, { pending }] of this.#holders) if (other !== holder) before += Math.min(pending, turn);
    return before;
  }
}

/** Runs a limited number of tasks at a time. Further tasks wait in the order in which they came. */
export class ConcurrencyLimiter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
