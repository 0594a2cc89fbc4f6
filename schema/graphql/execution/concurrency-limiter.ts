import type { Holder } from '../../../prisma/client.ts';

/** Runs one task of each key at a time, so that nobody waits for all tasks of another. A key is a holder, or a client's network. */
export class FairLimiter<Key = Holder> {
  readonly #keys = new Map<Key, { limiter: ConcurrencyLimiter; pending: number }>();

  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const own = this.#keys.get(key) ?? { limiter: new ConcurrencyLimiter(1), pending: 0 };
    this.#keys.set(key, own);
    own.pending += 1;
    try {
      return await own.limiter.run(work);
    } finally {
      own.pending -= 1;
      if (own.pending === 0) this.#keys.delete(key);
    }
  }

  /** How many tasks a further one would wait for, where all keys take turns. */
  countBefore(key: Key): number {
    const turn = (this.#keys.get(key)?.pending ?? 0) + 1;
    let before = turn - 1;
    for (const [other, { pending }] of this.#keys) if (other !== key) before += Math.min(pending, turn);
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
