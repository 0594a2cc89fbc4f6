import type { Pool } from 'pg';
import { batchByGroup } from '../../prisma/batching.ts';

/** The window of the rate limits. */
export const minuteMs = 60_000;

/** A store's result for one request. It has durations, not times: only the store's own clock is used. */
interface Hit {
  /** The number of requests that counted before this one. If it is below the limit, this one was admitted, and counts. */
  earlier: number;
  /** Milliseconds until the oldest request stops counting; after a refusal, until the next request can be admitted. */
  nextFreeInMs: number;
}

export interface RateLimitStore {
  /** Counts a request atomically, unless `limit` requests (at least 1) were admitted in the store's current window. */
  hit(identity: string, limit: number): Promise<Hit>;
}

interface RateLimitDecision {
  admitted: boolean;
  limit: number;
  /** The number of requests that would be admitted right now. */
  remaining: number;
  /** Epoch seconds, rounded up: when `remaining` next grows. */
  resetAt: number;
  /** Whole seconds, rounded up, until then. */
  resetInSeconds: number;
  /** Whole seconds, at least 1; waiting them out is enough. Only after a refusal. */
  retryAfter?: number;
}

export interface RateLimiter {
  /** Counts one HTTP request of the `identity`, towards a limit of its own if given. */
  admit(identity: string, ownLimit?: number): Promise<RateLimitDecision>;
}

/** At most `limit` requests per identity in any 60 seconds; refused ones don't count. */
export function createRateLimiter({
  limit: usual,
  store,
  now = Date.now,
}: {
  limit: number;
  store: RateLimitStore;
  /** Epoch milliseconds; used only for `resetAt`. */
  now?: () => number;
}): RateLimiter {
  return {
    async admit(identity, limit = usual) {
      const { earlier, nextFreeInMs } = await store.hit(identity, limit);
      const resetAt = Math.ceil((now() + nextFreeInMs) / 1000);
      const resetInSeconds = Math.ceil(nextFreeInMs / 1000);
      const known = { limit, resetAt, resetInSeconds };
      if (earlier < limit) return { ...known, admitted: true, remaining: limit - earlier - 1 };
      return { ...known, admitted: false, remaining: 0, retryAfter: Math.max(1, resetInSeconds) };
    },
  };
}

/** Counts in this process's memory. Drops identities without an admitted request for 60 seconds. @param now a monotonic clock */
export function memoryStore(now: () => number = () => performance.now()): RateLimitStore & { readonly size: number } {
  const logs = new Map<string, Log>(); // ordered by their last hits
  return {
    get size() {
      return logs.size;
    },
    async hit(identity, limit) {
      // Whole microseconds, because rounding errors of fractions could make a client retry too early.
      const time = Math.floor(now() * 1000);
      for (const [idle, log] of logs) {
        if (log.last > time - windowUs) break;
        logs.delete(idle);
      }
      const log = logs.get(identity) ?? new Log();
      log.forgetUntil(time - windowUs);
      const earlier = log.size;
      if (earlier < limit) {
        log.add(time);
        logs.delete(identity);
        logs.set(identity, log);
      }
      const next = log.at(Math.max(earlier - limit, 0)) ?? time;
      return { earlier, nextFreeInMs: (next + windowUs - time) / 1000 };
    },
  };
}

const windowUs = minuteMs * 1000;

/** Ascending times. Dropping the first ones is cheap for any length. */
class Log {
  #times: number[] = [];
  #start = 0;

  get size(): number {
    return this.#times.length - this.#start;
  }

  get last(): number {
    return this.#times.at(-1) ?? -Infinity;
  }

  at(index: number): number | undefined {
    return this.#times[this.#start + index];
  }

  add(time: number): void {
    this.#times.push(time);
  }

  /** Drops `horizon` and all earlier times. */
  forgetUntil(horizon: number): void {
    while ((this.at(0) ?? Infinity) <= horizon) this.#start++;
    if (this.#start * 2 > this.#times.length) {
      this.#times.splice(0, this.#start);
      this.#start = 0;
    }
  }
}

/**
 * Counts in the database, by the database's clock: one count for all processes. Requests of an identity that arrive while others
 * of it are counted are counted together, so that a busy process doesn't pay a statement for each.
 */
export function postgresStore(pool: Pool, windowMs = minuteMs): RateLimitStore {
  const count = batchByGroup<Pool, CountedRequest, Hit>(
    () => pool,
    async (client, requests) => {
      const { length, 0: first } = requests;
      const values = [first?.identity, first?.limit, length, windowMs];
      const { rows } = await client.query<Hit>({ name: 'count requests', text: countRequests, values });
      const [hit] = rows;
      if (!hit) throw new Error('The rate limit was not counted');
      // Those that came first were admitted first.
      return requests.map(({ limit }, index) => {
        const earlier = Math.max(hit.earlier, Math.min(hit.earlier + index, limit));
        return { ...hit, earlier };
      });
    },
  );
  return { hit: (identity, limit) => count(`${limit} ${identity}`, { identity, limit }) };
}

/** Those of the same identity and limit are counted together. */
interface CountedRequest {
  identity: string;
  limit: number;
}

// The function is in prisma/migrations/20261128140001_baseline/migration.sql. Its work doesn't grow with the number of requests.
const countRequests = `
  select earlier, next_free_in_ms as "nextFreeInMs" from count_requests($1, $2::int, $3::int, $4::float8)`;

/**
 * Deletes rows of postgresStore without an admitted request for an hour, longer than any window.
 * @param limit how many at most: who tries many passwords leaves very many
 */
export async function deleteExpiredHits(pool: Pool, limit: number): Promise<{ count: number }> {
  const expired = `(last_at is null or last_at <= clock_timestamp() - interval '1 hour')`;
  const { rowCount } = await pool.query(
    `delete from rate_limits where ${expired}
       and identity = any(array(select identity from rate_limits where ${expired} limit $1))`,
    [limit],
  );
  return { count: rowCount ?? 0 };
}
