import type { UnscopedClient } from '../prisma/client.ts';
import type { Principal } from '../schema/context.ts';
import type { ErrorCode } from '../schema/errors.ts';
import { authenticate } from './identity/index.ts';
import type { RateLimiter } from './rate-limit.ts';

/** A request refused as a whole, before anybody asks what it wants. */
export interface Refusal {
  status: 401 | 403 | 429;
  code: ErrorCode;
  message: string;
  /** Seconds to wait, on 429. */
  retryAfter?: number;
}

export interface Admission {
  /** For the answer, whatever it will be. */
  headers: Record<string, string>;
  outcome: { principal: Principal } | { refusal: Refusal };
}

export type Gate = (authorization: string | null) => Promise<Admission>;

/**
 * What every request passes first, whichever door it comes through: token (401), tenant (403), rate limit (429), in
 * that order (decisions, 1). Only a request that got as far as the limit counts towards it.
 */
export function createGate(
  client: UnscopedClient,
  limiter: RateLimiter,
  now: () => Date,
  onError: (error: unknown) => void,
): Gate {
  return async (authorization) => {
    const caller = await authenticate(client, authorization, now(), onError);
    if (caller.kind === 'unauthenticated') {
      return refused(
        { status: 401, code: 'UNAUTHENTICATED', message: 'The API token is missing or not valid.' },
        { 'WWW-Authenticate': 'Bearer' },
      );
    }
    if (caller.kind === 'no-tenant') {
      return refused({ status: 403, code: 'FORBIDDEN', message: 'This API token is bound to no tenant.' });
    }
    const verdict = await limiter.admit(`token:${caller.tokenId}`);
    if (!verdict) return { headers: {}, outcome: { principal: caller.principal } };
    const headers = {
      'X-RateLimit-Limit': String(verdict.limit),
      'X-RateLimit-Remaining': String(verdict.remaining),
      'X-RateLimit-Reset': String(verdict.resetAt),
    };
    if (verdict.admitted) return { headers, outcome: { principal: caller.principal } };
    const retryAfter = verdict.retryAfter ?? 1;
    return refused(
      {
        status: 429,
        code: 'RATE_LIMITED',
        message: `More than ${verdict.limit} requests within a minute. Try again in ${retryAfter} seconds.`,
        retryAfter,
      },
      { ...headers, 'Retry-After': String(retryAfter) },
    );
  };
}

const refused = (refusal: Refusal, headers: Record<string, string> = {}): Admission => ({
  headers,
  outcome: { refusal },
});
