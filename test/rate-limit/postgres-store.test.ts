import * as fc from 'fast-check';
import type { Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRateLimiter, deleteExpiredHits, memoryStore, postgresStore } from '../../src/security/rate-limit.ts';
import { heldFunction, holdClock, pass, pool } from './held-clock.ts';

holdClock();

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

  it('lets nobody wait for longer than the window after its clock was set back', async () => {
    const limiter = createRateLimiter({ limit: 2, store: postgresStore(pool()) });
    await limiter.admit('a');
    await pass(1000);
    await limiter.admit('a');
    await pass(-3_600_000);
    onTestFinished(async () => void (await pass(3_540_000)));
    expect(await limiter.admit('a')).toMatchObject({ admitted: false, retryAfter: 60 });
    await pass(60_000);
    expect(await limiter.admit('a')).toMatchObject({ admitted: true, remaining: 1 });
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
    expect(await deleteExpiredHits(pool(), 10)).toEqual({ count: 0 });
    await pass(30_000);
    expect(await deleteExpiredHits(pool(), 10)).toEqual({ count: 1 });
    expect((await limiter.admit('active'))?.admitted).toBe(false);
    expect((await limiter.admit('idle'))?.admitted).toBe(true);
  });

  it('loses no count while it deletes', async () => {
    const limiter = createRateLimiter({ limit: 60, store: postgresStore(pool()) });
    const done = new AbortController();
    const forgetting = (async () => {
      while (!done.signal.aborted) await deleteExpiredHits(pool(1), 10);
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
