import * as fc from 'fast-check';
import { Client, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createRateLimiter,
  deleteExpiredHits,
  memoryStore,
  postgresStore,
  type RateLimitStore,
} from '../src/security/rate-limit.ts';
import { createDatabase, type Database } from './harness.ts';

let database: Database;
const pools: Pool[] = [];

/** The start time of the tests, in milliseconds. */
const start = 1_800_000_000_000;

/** Replaces PostgreSQL's clock in the pools' search path. Only the test advances it. */
const heldClock = `
  create schema held;
  create table held.clock (now timestamptz not null);
  insert into held.clock values (to_timestamp(${start / 1000}));`;
const heldFunction = `
  create or replace function held.clock_timestamp() returns timestamptz volatile language sql
  as 'select now from held.clock'`;

beforeAll(async () => {
  database = await createDatabase();
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(heldClock);
  await owner.query(heldFunction);
  await owner.end();
  for (let i = 0; i < 2; i++) {
    const made = new Pool({
      connectionString: database.url,
      max: 20,
      options: '-c search_path=held,pg_catalog,public',
    });
    made.on('error', () => {}); // it ends before its connections are closed, and the database terminates these
    pools.push(made);
  }
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

beforeEach(async () => {
  await pool().query('truncate rate_limits, rate_limit_pages');
});

afterEach(() => {
  vi.useRealTimers();
});

const pool = (index = 0): Pool => pools[index]!;

/** Advances the database's clock. */
const pass = (ms: number): Promise<unknown> =>
  pool().query(`update held.clock set now = now + $1 * interval '1 ms'`, [ms]);

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
      { admitted: true, limit: 3, remaining: 2, resetAt },
      { admitted: true, limit: 3, remaining: 1, resetAt },
      { admitted: true, limit: 3, remaining: 0, resetAt },
      { admitted: false, limit: 3, remaining: 0, resetAt, retryAfter: 60 },
      { admitted: false, limit: 3, remaining: 0, resetAt, retryAfter: 60 },
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

/** Requests of the same moment, some time after those before, with a limit. */
const bursts = fc.array(
  fc.record({
    after: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.constantFrom(0, 59_999, 60_000, 60_001)),
    requests: fc.integer({ min: 1, max: 90 }),
    limit: fc.integer({ min: 1, max: 200 }),
    /** Whether they are sent without waiting for each other, so that most are counted together. */
    atOnce: fc.boolean(),
  }),
  { minLength: 4, maxLength: 10 },
);

describe('the store in PostgreSQL', () => {
  it('answers what the store in memory answers, for any number of requests and changing limits', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(bursts, async (all) => {
        const clock = { ms: 0 };
        const [model, store] = [memoryStore(() => clock.ms), postgresStore(pool())];
        const identity = `model ${run++}`;
        for (const { after, requests, limit, atOnce } of all) {
          await pass(after);
          clock.ms += after;
          const hit = (): Promise<unknown> => store.hit(identity, limit);
          const sent = atOnce ? Array.from({ length: requests }, hit) : undefined;
          for (let each = 0; each < requests; each += 1)
            expect(await (sent?.[each] ?? hit())).toEqual(await model.hit(identity, limit));
        }
      }),
      { numRuns: 12 },
    );
  });

  it('admits exactly the limit, and takes constant space, while four connections count thousands', async () => {
    const limit = 3000;
    // Each request has a time of its own: PostgreSQL would compress a list of equal ones.
    await pool().query('create sequence held.requests');
    await pool().query(`create or replace function held.clock_timestamp() returns timestamptz volatile language sql
      as $$ select now + nextval('held.requests') * interval '7919 microseconds' from held.clock $$`);
    onTestFinished(async () => void (await pool().query(heldFunction)));
    const admitted: boolean[] = [];
    const count = async (from: Pool): Promise<void> => {
      const limiter = createRateLimiter({ limit, store: postgresStore(from) });
      for (let each = 0; each < limit / 4 + 50; each += 1)
        admitted.push((await limiter.admit('busy'))?.admitted === true);
    };
    await Promise.all([0, 1, 0, 1].map((index) => count(pool(index))));
    expect(admitted.filter(Boolean)).toHaveLength(limit);
    const { rows } = await pool().query<{ bytes: number }>(
      `select (pg_total_relation_size('rate_limits') + pg_total_relation_size('rate_limit_pages'))::int as bytes`,
    );
    // Old versions of rows are reused once no snapshot needs them. An analyze that runs meanwhile has one, so a few of them
    // may stay. An array of all hits that is written anew for each took more than 20 MB here.
    expect(rows[0]?.bytes).toBeLessThan(5_000_000);
    // A hit writes one page anew, however many there are.
    const pages = await pool().query<{ longest: number }>(
      'select max(pg_column_size(times)) as longest from rate_limit_pages',
    );
    expect(pages.rows[0]?.longest).toBeLessThan(1000);
  });

  it('admits 60 of 400 concurrent requests from the pools of two processes', async () => {
    const limiters = [0, 1].map((index) => createRateLimiter({ limit: 60, store: postgresStore(pool(index)) }));
    const answers = await Promise.all(Array.from({ length: 400 }, (_, index) => limiters[index % 2]!.admit('a')));
    expect(answers.filter((answer) => answer?.admitted)).toHaveLength(60);
    expect(new Set(answers.map((answer) => answer?.retryAfter))).toEqual(new Set([undefined, 60]));
  });

  it('counts many identities at once, each towards its own limit', async () => {
    const store = postgresStore(pool());
    const limitOf = (identity: number): number => (identity % 3) + 1;
    const requests = Array.from({ length: 300 }, (_, index) => index % 20);
    const hits = await Promise.all(
      requests.map(async (identity) => {
        const { earlier } = await store.hit(`one of many ${identity}`, limitOf(identity));
        return { identity, admitted: earlier < limitOf(identity) };
      }),
    );
    for (let identity = 0; identity < 20; identity += 1)
      expect(hits.filter((hit) => hit.identity === identity && hit.admitted)).toHaveLength(limitOf(identity));
  });

  it('counts a token beside another whose count waits, however many requests that one sends', async () => {
    const store = postgresStore(pool());
    await store.hit('attacker', 100);
    const holder = await pool(1).connect();
    await holder.query('begin');
    await holder.query(`select from rate_limits where identity = 'attacker' for update`);
    let answered = 0;
    const waiting: Promise<unknown>[] = [];
    for (let each = 0; each < 20; each += 1) {
      for (let more = 0; more < 25; more += 1) waiting.push(store.hit('attacker', 100).then(() => (answered += 1)));
      expect(await store.hit('innocent', 100)).toMatchObject({ earlier: each });
    }
    expect(answered).toBe(0);
    await holder.query('commit');
    holder.release();
    await Promise.all(waiting);
  });

  it('counts a request at the time that it is processed, not at its arrival', async () => {
    const limiter = createRateLimiter({ limit: 2, store: postgresStore(pool()) });
    await limiter.admit('a');
    const holder = await pool(1).connect();
    await holder.query('begin');
    await holder.query(`select from rate_limits where identity = 'a' for update`);
    const waiting = limiter.admit('a');
    await vi.waitFor(async () => {
      const { rowCount } = await pool(1).query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    }, 20_000);
    await pass(300);
    await holder.query('commit');
    holder.release();
    await waiting;
    const { rows } = await pool().query<{ apart: number }>(
      'select extract(epoch from times[2] - times[1])::float8 as apart from rate_limit_pages',
    );
    expect(rows[0]?.apart).toBe(0.3);
  });

  it('keeps only requests that count', async () => {
    const limiter = createRateLimiter({ limit: 3, store: postgresStore(pool()) });
    for (let i = 0; i < 20; i++) {
      await limiter.admit('a');
      await pass(7000);
    }
    const { rows } = await pool().query<{ kept: number }>(
      'select sum(cardinality(times))::int as kept from rate_limit_pages',
    );
    expect(rows[0]?.kept).toBeLessThanOrEqual(64);
  });

  it('deletes only identities that were idle for an hour', async () => {
    const limiter = createRateLimiter({ limit: 1, store: postgresStore(pool()) });
    await limiter.admit('idle');
    await pass(3_570_000);
    await limiter.admit('active');
    await limiter.admit('active'); // rejected
    expect(await deleteExpiredHits(pool())).toBe(0);
    await pass(30_000);
    expect(await deleteExpiredHits(pool())).toBe(1);
    expect((await limiter.admit('active'))?.admitted).toBe(false);
    expect((await limiter.admit('idle'))?.admitted).toBe(true);
  });

  it('loses no count while it deletes', async () => {
    const limiter = createRateLimiter({ limit: 60, store: postgresStore(pool()) });
    const done = new AbortController();
    const forgetting = (async () => {
      while (!done.signal.aborted) await deleteExpiredHits(pool(1));
    })();
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => limiter.admit('a')));
      expect(answers.filter((answer) => answer?.admitted)).toHaveLength(60);
      await pass(3_600_000);
    }
    done.abort();
    await forgetting;
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
