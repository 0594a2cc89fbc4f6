import { isUnwritable } from '../../prisma/client.ts';
import type { RateLimitStore } from './rate-limit.ts';

/**
 * Counts in `store`; while nothing can be written there (a full disk, a server that is read-only), in `substitute`. So reads
 * are still answered, and still limited. Writes fail by themselves.
 */
export const withFallback = (store: RateLimitStore, substitute: RateLimitStore): RateLimitStore => ({
  hit: (identity, limit) =>
    store.hit(identity, limit).catch((error: unknown) => {
      if (!isUnwritable(error)) throw error;
      return substitute.hit(identity, limit);
    }),
});
