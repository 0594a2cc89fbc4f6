import type { Pool } from 'pg';
import type { LoggedRequest } from '../../../schema/identity/request-log.ts';

/** A token whose requests somebody follows. */
export interface FollowedToken {
  tenantId: string;
  tokenId: string;
}

/** Token bucket for each followed token: requests at once, and requests per second in the long run. */
const burst = 100;
const perSecond = 10;

interface Bucket {
  left: number;
  refilledAt: number;
  leftOut: number;
}

/**
 * Announces the requests of followed tokens to the processes of their followers. NOTIFY makes commits wait for each other, so
 * each process announces a bounded number of requests; the next one that is announced says how many were left out.
 */
export class RequestAnnouncer {
  readonly #pool: Pool;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now milliseconds, of a clock that only goes forward */
  constructor(pool: Pool, onError: (error: unknown) => void, now: () => number = () => performance.now()) {
    this.#pool = pool;
    this.#onError = onError;
    this.#now = now;
  }

  announce({ tenantId, tokenId }: FollowedToken, request: Omit<LoggedRequest, 'leftOut'>): void {
    const bucket = this.#bucketOf(tokenId);
    if (bucket.left < 1) {
      bucket.leftOut += 1;
      return;
    }
    bucket.left -= 1;
    const announced: LoggedRequest = { ...request, leftOut: bucket.leftOut };
    bucket.leftOut = 0;
    const payload = `${tenantId} ${tokenId} ${JSON.stringify(announced)}`;
    this.#pool.query(`select pg_notify('requests', $1)`, [payload]).catch(this.#onError);
  }

  #bucketOf(tokenId: string): Bucket {
    const now = this.#now();
    for (const [id, { left, refilledAt }] of this.#buckets)
      if (left + ((now - refilledAt) / 1000) * perSecond >= burst) this.#buckets.delete(id); // as good as new
    const bucket = this.#buckets.get(tokenId) ?? { left: burst, refilledAt: now, leftOut: 0 };
    this.#buckets.set(tokenId, bucket);
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.refilledAt) / 1000) * perSecond);
    bucket.refilledAt = now;
    return bucket;
  }
}
