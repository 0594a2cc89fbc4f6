import type { ServerResponse } from 'node:http';
import type { Context, Principal } from '../../../schema/graphql/context.ts';
import { CodedError } from '../../../schema/errors.ts';
import { AnswerSize } from '../../../schema/graphql/execution/answer-size.ts';
import type { Database } from '../../database/database.ts';
import type { Domain } from '../../domain.ts';
import { authenticate, authenticateSession } from '../../identity/index.ts';
import { accessKeys } from '../../notifications/access-endings.ts';
import type { Notifications } from '../../notifications/notifications.ts';
import type { RateLimiter } from '../../security/rate-limit.ts';
import type { AnswerMemory } from '../http/answer-memory.ts';
import type { ReadRetry } from '../http/read-retry.ts';
import type { FollowedToken } from '../http/request-announcer.ts';
import { getId, type RequestLog } from '../http/request-log.ts';

/** The credentials of a request: a token, or a session where the API accepts one. */
export interface Credentials {
  authorization: string | null;
  /** The session cookie of a request without `authorization`. */
  session?: {
    token: string;
    /** The tenant in the `X-Tenant` header; null for the one that the user joined first. */
    tenantId: string | null;
    /** Whether the request may be a cross-site request forgery (csrf.ts). */
    mayBeCsrf: boolean;
  };
}

/** A request to REST or GraphQL. */
export interface ApiRequest {
  response: ServerResponse;
  credentials: Credentials;
  /** Aborted when the request's time is over. */
  signal: AbortSignal;
}

/** The access of a caller whose request goes on for long. */
export interface Access {
  /** Whether the request would still be admitted. Doesn't count as a request, nor prolong a session. */
  isStillAuthorized: () => Promise<boolean>;
  /** Calls back once the caller's token, session or membership has ended. @returns a function that unsubscribes */
  onAccessEnd: (end: () => void) => () => void;
  /** When the token expires, in milliseconds from now; null if it never does. */
  expiresInMs: number | null;
}

/** An admitted request. */
export interface AdmittedRequest extends Access {
  requestId: string;
  signal: AbortSignal;
  context: Context;
}

/**
 * The phases of a request before its content is read, in the order of DECISIONS.md#d2-order-of-checks. It waits for a database
 * that is away, unless the request's time is over.
 * @throws CodedError UNAUTHENTICATED, FORBIDDEN or RATE_LIMITED
 */
export type Admit = (request: ApiRequest) => Promise<AdmittedRequest>;

interface Caller {
  principal: Principal;
  /** The name under which the caller's requests are counted. */
  countedAs: string;
  /** The limit of these requests, if it isn't the configured one. */
  limit?: number;
  /** The token of the request, if somebody follows its requests. */
  followed?: FollowedToken;
}

/** Requests of one dashboard session in any 60 seconds (DECISIONS.md#d7-rate-limit). */
const sessionLimit = 600;

export function createRequestAdmission({
  client,
  pool,
  domain,
  limiter,
  notifications,
  requestLog,
  answerMemory,
  maxAnswerBytes,
  retry,
  now,
}: Pick<Database, 'client' | 'pool'> & {
  domain: Domain;
  limiter: RateLimiter;
  notifications: Notifications;
  requestLog: RequestLog;
  answerMemory: AnswerMemory;
  /** The longest answer, in bytes. */
  maxAnswerBytes: number;
  retry: ReadRetry;
  now: () => Date;
}): Admit {
  const onError = (error: unknown): void => requestLog.errorsBeforeAdmission.error({ err: error }, 'identity');

  const identify = ({ credentials: { authorization, session }, ...request }: ApiRequest): Promise<Caller> =>
    session ? identifySession(session, request) : identifyToken(authorization, request);

  const identifyToken = async (authorization: string | null, request: Answerable): Promise<Caller> => {
    const caller = await retry.run(() => authenticate(pool, authorization, now(), onError), request.signal);
    if (caller.kind === 'unauthenticated') return unauthenticated(request, 'The API token is missing or not valid.');
    if (caller.kind === 'no-tenant') return forbidden('This API token is bound to no tenant.');
    const { principal, tokenId, isFollowed } = caller;
    const countedAs = `token:${tokenId}`;
    return { principal, countedAs, ...(isFollowed && { followed: { tenantId: principal.tenant.id, tokenId } }) };
  };

  const identifySession = async (session: Session, request: Answerable): Promise<Caller> => {
    if (session.mayBeCsrf) return forbidden('A session is only for requests from our own pages.');
    const caller = await retry.run(() => authenticateSession(client, session, now(), onError), request.signal);
    if (caller.kind === 'unauthenticated') return unauthenticated(request, 'The session has ended. Sign in again.');
    if (caller.kind === 'no-tenant') {
      return forbidden(session.tenantId === null ? 'You belong to no tenant.' : 'You do not belong to this tenant.');
    }
    const { principal } = caller;
    return { principal, countedAs: `session:${principal.session.id}`, limit: sessionLimit };
  };

  const limit = async (caller: Caller, { response, signal }: ApiRequest): Promise<void> => {
    const decision = await retry.run(() => limiter.admit(caller.countedAs, caller.limit), signal);
    if (!decision) return;
    response.setHeader('X-RateLimit-Limit', decision.limit);
    response.setHeader('X-RateLimit-Remaining', decision.remaining);
    response.setHeader('X-RateLimit-Reset', decision.resetAt);
    if (decision.admitted) return;
    const retryAfter = decision.retryAfter ?? 1;
    const message = `More than ${decision.limit} requests within a minute. Try again in ${retryAfter} seconds.`;
    throw new CodedError('RATE_LIMITED', message, { retryAfter });
  };

  const open = ({ principal }: Caller, { response, credentials, signal }: ApiRequest): AdmittedRequest => {
    const requestId = getId(response);
    const { tenant, token } = principal;
    const reserve = (bytes: number): void => answerMemory.reserve(tenant.id, response, bytes);
    const answer = new AnswerSize({ maxBytes: maxAnswerBytes, reserve });
    return {
      requestId,
      signal,
      context: domain.contextFor(principal, { notifications, requestId, signal, answer }),
      isStillAuthorized: async () => {
        const { authorization, session } = credentials;
        const caller = session
          ? await authenticateSession(client, session, now(), onError, { isUse: false })
          : await authenticate(pool, authorization, now(), onError);
        return caller.kind === 'principal' && caller.principal.tenant.id === tenant.id;
      },
      onAccessEnd: (end) => notifications.accessEndings.listen(accessKeys(principal), end),
      expiresInMs: token?.expiresAt ? token.expiresAt.getTime() - now().getTime() : null,
    };
  };

  return async (request) => {
    const caller = await identify(request);
    if (caller.followed) requestLog.follow(request.response, caller.followed);
    // Only a request that reaches this check counts towards the limit.
    await limit(caller, request);
    requestLog.admitted(request.response);
    return open(caller, request);
  };
}

type Answerable = Omit<ApiRequest, 'credentials'>;
type Session = NonNullable<Credentials['session']>;

function unauthenticated({ response }: Answerable, message: string): never {
  response.setHeader('WWW-Authenticate', 'Bearer');
  throw new CodedError('UNAUTHENTICATED', message);
}

function forbidden(message: string): never {
  throw new CodedError('FORBIDDEN', message);
}
