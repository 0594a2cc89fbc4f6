import type { Holder } from '../../../prisma/client.ts';
import type { CurrentTenant } from '../../../schema/graphql/identity.ts';
import { CodedError } from '../../../schema/errors/errors.ts';
import { longestAtOnce } from '../../../rest-shim/request-body.ts';
import { createFairScheduler } from './fair-scheduler.ts';

/** How many long bodies of a tenant may wait. Each of them is in memory. */
export const maxWaiting = 16;

/** Seconds after which a client should retry a request that was refused. */
const retryAfter = 1;

/**
 * Waits until a body may be parsed. The caller parses it in the same tick.
 * @param length the body's length in bytes
 * @throws CodedError RATE_LIMITED if too many of the tenant's bodies wait
 */
export type WaitForTurn = (context: { tenant: Pick<CurrentTenant, 'holder'> }, length: number) => Promise<void>;

/** Lets tenants take turns in parsing long bodies, one in a tick, so that other requests are answered in between. */
export function createBodyTurns(): WaitForTurn {
  const scheduler = createFairScheduler({ rest: 1, pauseMs: 0 });
  const waiting = new Map<Holder, number>();
  return async ({ tenant: { holder } }, length) => {
    if (length <= longestAtOnce) return;
    const before = waiting.get(holder) ?? 0;
    if (before >= maxWaiting)
      throw new CodedError('RATE_LIMITED', 'Too many long requests of this tenant wait. Try again in a second.', {
        retryAfter,
      });
    waiting.set(holder, before + 1);
    await scheduler.waitForTurn(holder);
    const left = (waiting.get(holder) ?? 1) - 1;
    if (left > 0) waiting.set(holder, left);
    else waiting.delete(holder);
  };
}
