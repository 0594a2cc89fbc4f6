import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRateLimiter, memoryStore, postgresStore, type RateLimitStore } from '../../src/security/rate-limit.ts';
import { holdClock, pass, pool, start } from './held-clock.ts';

holdClock();
afterEach(() => {
  vi.useRealTimers();
});

/** The times of a request and its answer in milliseconds, and whether it was admitted. */
interface Outcome {
  from: number;
  to: number;
  admitted: boolean;
}

/** The admissions less than 60 seconds after the one `limit` before them. There must be none. */
function tooSoon(outcomes: Outcome[], limit: number): Outcome[] {
  const admitted = outcomes.filter((request) => request.admitted);
  return admitted.filter((request, index) => request.to - (admitted[index - limit]?.from ?? -Infinity) < 60_000);
}

const limits = fc.integer({ min: 1, max: 8 });
/** Pauses between requests: bursts, and times near the end of the window. */
const pauses = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 20_000 }),
    fc.constantFrom(1000, 30_000, 59_000, 59_999, 60_000, 60_001),
  ),
  { maxLength: 60 },
);

/** A limiter in memory, and its clock. */
function held(limit: number): {
  limiter: ReturnType<typeof createRateLimiter>;
  clock: { ms: number };
  store: ReturnType<typeof memoryStore>;
} {
  const clock = { ms: 1_800_000_000_000 };
  const store = memoryStore(() => clock.ms);
  return { clock, store, limiter: createRateLimiter({ limit, store, now: () => clock.ms }) };
}

describe.each<[string, () => RateLimitStore]>([
  ['in memory', () => memoryStore(() => start)],
  ['in PostgreSQL', () => postgresStore(pool())],
])('the rate limit %s', (_, makeStore) => {
  it('admits requests up to the limit, then rejects; each result has the remaining requests and the reset time', async () => {
    const limiter = createRateLimiter({ limit: 3, store: makeStore(), now: () => start });
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await limiter.admit('a'));
    const resetAt = start / 1000 + 60;
    expect(answers).toEqual([
      { admitted: true, limit: 3, remaining: 2, resetAt, resetInSeconds: 60 },
      { admitted: true, limit: 3, remaining: 1, resetAt, resetInSeconds: 60 },
      { admitted: true, limit: 3, remaining: 0, resetAt, resetInSeconds: 60 },
      { admitted: false, limit: 3, remaining: 0, resetAt, resetInSeconds: 60, retryAfter: 60 },
      { admitted: false, limit: 3, remaining: 0, resetAt, resetInSeconds: 60, retryAfter: 60 },
    ]);
  });

  it('counts each identity separately', async () => {
    const limiter = createRateLimiter({ limit: 1, store: makeStore() });
    expect((await limiter.admit('a'))?.admitted).toBe(true);
    expect((await limiter.admit('b'))?.admitted).toBe(true);
    expect((await limiter.admit('a'))?.admitted).toBe(false);
  });

  it('has one count for all limiters of a store, each with its own limit', async () => {
    const store = makeStore();
    const [many, few] = [createRateLimiter({ limit: 5, store }), createRateLimiter({ limit: 2, store })];
    for (let i = 0; i < 4; i++) await many.admit('a');
    expect(await few.admit('a')).toMatchObject({ admitted: false, remaining: 0 });
    expect(await many.admit('a')).toMatchObject({ admitted: true, remaining: 0 });
  });

  it.each([-86_400_000, -61_000, 61_000, 86_400_000])(
    'does not care that this process’s clock is %i ms off',
    async (skew) => {
      const limiter = createRateLimiter({ limit: 2, store: makeStore() });
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew });
      const admitted = [];
      for (let i = 0; i < 4; i++) admitted.push((await limiter.admit('a'))?.admitted);
      expect(admitted).toEqual([true, true, false, false]);
    },
  );

  it('admits 60 of 400 concurrent requests', async () => {
    const limiter = createRateLimiter({ limit: 60, store: makeStore() });
    const answers = await Promise.all(Array.from({ length: 400 }, () => limiter.admit('a')));
    expect(answers.filter((answer) => answer?.admitted)).toHaveLength(60);
    expect(new Set(answers.filter((answer) => answer?.admitted).map((answer) => answer?.remaining)).size).toBe(60);
  });

  it('fails, and admits nothing, when the store fails', async () => {
    const store = { hit: () => Promise.reject(new Error('store gone')) };
    await expect(createRateLimiter({ limit: 60, store }).admit('a')).rejects.toThrow('store gone');
  });
});

describe('in any 60 seconds', () => {
  it('no more than the limit are admitted, in memory', async () => {
    await fc.assert(
      fc.asyncProperty(limits, pauses, async (limit, gaps) => {
        const { limiter, clock } = held(limit);
        const outcomes: Outcome[] = [];
        for (const gap of gaps) {
          clock.ms += gap;
          const admitted = (await limiter.admit('a'))?.admitted === true;
          outcomes.push({ from: clock.ms, to: clock.ms, admitted });
          // It doesn't reject without need either.
          const recent = outcomes.filter((request) => request.admitted && request.from > clock.ms - 60_000);
          expect(admitted || recent.length === limit).toBe(true);
        }
        expect(tooSoon(outcomes, limit)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('no more than the limit are admitted, in PostgreSQL', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(limits, pauses, async (limit, gaps) => {
        const limiter = createRateLimiter({ limit, store: postgresStore(pool()) });
        const identity = `run ${run++}`;
        const outcomes: Outcome[] = [];
        let passed = 0;
        for (const gap of gaps) {
          await pass(gap);
          passed += gap;
          const admitted = (await limiter.admit(identity))?.admitted === true;
          outcomes.push({ from: passed, to: passed, admitted });
        }
        expect(tooSoon(outcomes, limit)).toEqual([]);
        await pool().query('truncate rate_limits, rate_limit_pages');
      }),
      { numRuns: 25 },
    );
  });
});

describe('waiting Retry-After', () => {
  it('always succeeds, in memory, also when the limit was lowered; and a second less never does', async () => {
    await fc.assert(
      fc.asyncProperty(limits, limits, pauses, async (before, after, gaps) => {
        const { limiter, clock, store } = held(before);
        for (const gap of gaps) {
          clock.ms += gap;
          await limiter.admit('a');
        }
        const now = createRateLimiter({ limit: after, store, now: () => clock.ms });
        const refused = await now.admit('a');
        if (refused?.retryAfter === undefined) return;
        expect(refused.resetAt).toBeLessThanOrEqual(Math.ceil(clock.ms / 1000) + refused.retryAfter);
        expect(refused.retryAfter).toBeLessThanOrEqual(60);
        clock.ms += (refused.retryAfter - 1) * 1000;
        const early = await now.admit('a');
        expect(early?.admitted).toBe(false);
        clock.ms += 1000;
        expect((await now.admit('a'))?.admitted).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('succeeds in PostgreSQL', async () => {
    const limiter = createRateLimiter({ limit: 3, store: postgresStore(pool()) });
    await limiter.admit('a');
    await pass(20_000);
    await limiter.admit('a');
    await limiter.admit('a');
    await pass(38_800);
    const refused = await limiter.admit('a');
    expect(refused).toMatchObject({ admitted: false, retryAfter: 2 });
    await pass(2000);
    expect(await limiter.admit('a')).toMatchObject({ admitted: true, remaining: 0 });
    expect(await limiter.admit('a')).toMatchObject({ admitted: false, retryAfter: 20 });
    await pass(19_900);
    expect(await limiter.admit('a')).toMatchObject({ admitted: true });
    expect(await limiter.admit('a')).toMatchObject({ admitted: true });
    expect(await limiter.admit('a')).toMatchObject({ admitted: false });
  });

  it('succeeds in PostgreSQL also after the limit was lowered', async () => {
    const store = postgresStore(pool());
    const before = createRateLimiter({ limit: 10, store });
    for (let i = 0; i < 5; i++) {
      await pass(10_000);
      await before.admit('a');
    }
    // Requests are 40, 30, 20, 10, and 0 seconds old. With a limit of 2, the one of 10 seconds ago must expire first.
    const lowered = createRateLimiter({ limit: 2, store });
    expect(await lowered.admit('a')).toMatchObject({ admitted: false, retryAfter: 50 });
    await pass(49_000);
    expect(await lowered.admit('a')).toMatchObject({ admitted: false, retryAfter: 1 });
    await pass(1000);
    expect(await lowered.admit('a')).toMatchObject({ admitted: true, remaining: 0 });
  });

  it('is never more than a minute, even if the database’s clock was set back', async () => {
    const limiter = createRateLimiter({ limit: 2, store: postgresStore(pool()) });
    await limiter.admit('a');
    await limiter.admit('a');
    await pass(-3_600_000);
    expect(await limiter.admit('a')).toMatchObject({ admitted: false, retryAfter: 60 });
    await pass(60_000);
    expect(await limiter.admit('a')).toMatchObject({ admitted: true });
  });
});

describe('the store in memory', () => {
  it('deletes identities that were idle for a minute', async () => {
    const { limiter, clock, store } = held(2);
    for (let i = 0; i < 1000; i++) await limiter.admit(`one-time ${i}`);
    clock.ms += 30_000;
    await limiter.admit('one-time 7');
    expect(store.size).toBe(1000);
    clock.ms += 30_000;
    await limiter.admit('another');
    expect(store.size).toBe(2);
    clock.ms += 60_000;
    await limiter.admit('one-time 7');
    expect(store.size).toBe(1);
  });
});
