import type { Principal } from '../../../schema/graphql/context.ts';
import type { ErrorCode } from '../../../schema/errors.ts';
import type { Database } from '../../database/database.ts';
import { authenticate, authenticateSession } from '../../identity/index.ts';
import type { ReadRetry } from '../http/read-retry.ts';
import type { FollowedToken } from '../http/request-announcer.ts';
import type { RateLimiter } from '../../security/rate-limit.ts';

/** The refusal of a request as a whole, before its content is read. */
export interface Refusal {
  status: 401 | 403 | 429;
  code: ErrorCode;
  message: string;
  /** Seconds to wait, on 429. */
  retryAfter?: number;
}

interface Admission {
  /** Headers for any response to this request. */
  headers: Record<string, string>;
  outcome: { principal: Principal } | { refusal: Refusal };
  /** The token of the request, if somebody follows its requests. */
  followed?: FollowedToken;
}

/** The credentials of a request. */
export interface Credentials {
  authorization: string | null;
  /** The session cookie, where the API accepts one. Used only without `authorization`. */
  session?: {
    token: string;
    /** The tenant in the `X-Tenant` header; null for the one that the user joined first. */
    tenantId: string | null;
    /** Whether the request may be a cross-site request forgery (csrf.ts). */
    mayBeCsrf: boolean;
  };
}

export interface RequestAdmission {
  /**
   * Waits for a database that is away, unless the request's time is over.
   * @param signal aborted when the time is over
   */
  admit(credentials: Credentials, signal: AbortSignal): Promise<Admission>;
  /** Whether an admitted request would be admitted now. Doesn't count as a request, nor prolong a session. */
  isStillAuthorized(credentials: Credentials, principal: Principal): Promise<boolean>;
}

/** Requests of one dashboard session in any 60 seconds (DECISIONS.md#d7-rate-limit). */
const sessionLimit = 600;

/**
 * The checks of every request to any API: authentication by token or session (401), tenant (403), and rate limit (429), in
 * this order (DECISIONS.md#d2-order-of-checks). Only a request that reaches the last check counts towards the limit.
 */
export function createRequestAdmission(
  { client, pool }: Pick<Database, 'client' | 'pool'>,
  limiter: RateLimiter,
  now: () => Date,
  onError: (error: unknown) => void,
  retry: ReadRetry,
): RequestAdmission {
  const admit = async (
    principal: Principal,
    signal: AbortSignal,
    identity: string,
    ownLimit?: number,
  ): Promise<Admission> => {
    const verdict = await retry.run(() => limiter.admit(identity, ownLimit), signal);
    if (!verdict) return { headers: {}, outcome: { principal } };
    const headers = {
      'X-RateLimit-Limit': String(verdict.limit),
      'X-RateLimit-Remaining': String(verdict.remaining),
      'X-RateLimit-Reset': String(verdict.resetAt),
    };
    if (verdict.admitted) return { headers, outcome: { principal } };
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

  const admitToken = async (authorization: string | null, signal: AbortSignal): Promise<Admission> => {
    const caller = await retry.run(() => authenticate(pool, authorization, now(), onError), signal);
    if (caller.kind === 'unauthenticated') return unauthenticated('The API token is missing or not valid.');
    if (caller.kind === 'no-tenant') return forbidden('This API token is bound to no tenant.');
    const { principal, tokenId, isFollowed } = caller;
    const admission = await admit(principal, signal, `token:${tokenId}`);
    return isFollowed ? { ...admission, followed: { tenantId: principal.tenant.id, tokenId } } : admission;
  };

  const admitSession = async (
    session: NonNullable<Credentials['session']>,
    signal: AbortSignal,
  ): Promise<Admission> => {
    if (session.mayBeCsrf) return forbidden('A session is only for requests from our own pages.');
    const caller = await retry.run(() => authenticateSession(client, session, now(), onError), signal);
    if (caller.kind === 'unauthenticated') return unauthenticated('The session has ended. Sign in again.');
    if (caller.kind === 'no-tenant') {
      return forbidden(session.tenantId === null ? 'You belong to no tenant.' : 'You do not belong to this tenant.');
    }
    return admit(caller.principal, signal, `session:${caller.principal.session.id}`, sessionLimit);
  };

  return {
    admit: ({ authorization, session }, signal) =>
      authorization === null && session ? admitSession(session, signal) : admitToken(authorization, signal),
    isStillAuthorized: async ({ authorization, session }, { tenant }) => {
      const caller =
        authorization === null && session
          ? await authenticateSession(client, session, now(), onError, { isUse: false })
          : await authenticate(pool, authorization, now(), onError);
      return caller.kind === 'principal' && caller.principal.tenant.id === tenant.id;
    },
  };
}

const unauthenticated = (message: string): Admission =>
  refused({ status: 401, code: 'UNAUTHENTICATED', message }, { 'WWW-Authenticate': 'Bearer' });

const forbidden = (message: string): Admission => refused({ status: 403, code: 'FORBIDDEN', message });

const refused = (refusal: Refusal, headers: Record<string, string> = {}): Admission => ({
  headers,
  outcome: { refusal },
});
