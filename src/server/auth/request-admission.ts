import type { ServerResponse } from 'node:http';
import type { Context, Principal } from '../../../schema/graphql/context.ts';
import { CodedError } from '../../../schema/errors/errors.ts';
import type { TrustedDocumentStore } from '../../../schema/graphql/trusted-document-store.ts';
import { ResponseSize } from '../../../schema/graphql/execution/response-size.ts';
import type { Database } from '../../database/database.ts';
import type { Domain } from '../../domain.ts';
import { authenticateSession, createAuthenticate } from '../../identity/index.ts';
import { accessKeys } from '../../notifications/access-endings.ts';
import type { Notifications } from '../../notifications/notifications.ts';
import type { RateLimiter } from '../../security/rate-limit.ts';
import type { ReserveBody } from '../http/arriving-bodies.ts';
import type { ResponseMemory } from '../http/response-memory.ts';
import type { ReadRetry } from '../http/read-retry.ts';
import { getId, type LoggedCaller, type RequestLog } from '../http/request-log.ts';

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

/** A request to REST or GraphQL, on its way in. */
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
  /**
   * To be called once the body is read. Where that was still to come when the request was admitted, its access is checked
   * again: a client could hold the body back, and write after its access has ended.
   * @throws CodedError as Admit does
   */
  confirmAccess: () => Promise<void>;
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
  logged: LoggedCaller;
  /** The limit of these requests, if it isn't the configured one. */
  limit?: number;
}

/** Requests of one dashboard session in any 60 seconds (DECISIONS.md#d7-rate-limit). */
export const sessionLimit = 600;

export function createRequestAdmission({
  client,
  pool,
  domain,
  limiter,
  notifications,
  documents,
  requestLog,
  reserveBody,
  responseMemory,
  maxResponseBytes,
  retry,
  now,
}: Pick<Database, 'client' | 'pool'> & {
  domain: Domain;
  limiter: RateLimiter | undefined;
  notifications: Notifications;
  documents: TrustedDocumentStore;
  requestLog: RequestLog;
  reserveBody: ReserveBody;
  responseMemory: ResponseMemory;
  /** The longest response, in bytes. */
  maxResponseBytes: number;
  retry: ReadRetry;
  now: () => Date;
}): Admit {
  const onError = (error: unknown): void => requestLog.errorsBeforeAdmission.error({ err: error }, 'identity');
  const authenticate = createAuthenticate(pool, onError);

  const identifyToken = async (authorization: string | null, response: ServerResponse): Promise<Caller> => {
    const caller = await authenticate(authorization, now());
    if (caller.kind === 'unauthenticated') return unauthenticated(response, 'The API token is missing or not valid.');
    if (caller.kind === 'no-tenant') return forbidden('This API token is bound to no tenant.');
    const { principal, tokenId, isFollowed } = caller;
    if (isFollowed) requestLog.follow(response, { tenantId: principal.tenant.id, tokenId });
    const own = principal.token?.requestsPerMinute;
    // The highest one may have been lowered since.
    const isLimited = own != null && { limit: Math.min(own, domain.requestLimits.max) };
    const logged = { tenantId: principal.tenant.id, tokenId };
    return { principal, countedAs: `token:${tokenId}`, logged, ...isLimited };
  };

  const identifySession = async (session: Session, response: ServerResponse): Promise<Caller> => {
    if (session.mayBeCsrf) return forbidden('A session is only for requests from our own pages.');
    const caller = await authenticateSession(client, session, now(), onError);
    if (caller.kind === 'unauthenticated') return unauthenticated(response, 'The session has ended. Sign in again.');
    if (caller.kind === 'no-tenant') {
      return forbidden(session.tenantId === null ? 'You belong to no tenant.' : notMember);
    }
    const { principal } = caller;
    const { tenant, session: by } = principal;
    const logged = { tenantId: tenant.id, sessionId: by.id };
    return { principal, countedAs: `session:${by.id}`, logged, limit: sessionLimit };
  };

  const limit = async (by: RateLimiter, caller: Caller, response: ServerResponse): Promise<void> => {
    const decision = await by.admit(caller.countedAs, caller.limit);
    response.setHeader('X-RateLimit-Limit', decision.limit);
    response.setHeader('X-RateLimit-Remaining', decision.remaining);
    response.setHeader('X-RateLimit-Reset', decision.resetAt);
    // The same for clients that know the IETF's names: draft-ietf-httpapi-ratelimit-headers-10.
    response.setHeader('RateLimit-Policy', `"requests";q=${decision.limit};w=60`);
    response.setHeader('RateLimit', `"requests";r=${decision.remaining};t=${decision.resetInSeconds}`);
    if (decision.admitted) return;
    const retryAfter = decision.retryAfter ?? 1;
    const message = `More than ${decision.limit} requests within a minute. Try again in ${retryAfter} seconds.`;
    throw new CodedError('RATE_LIMITED', message, { retryAfter });
  };

  const open = ({ principal }: Caller, request: ApiRequest): AdmittedRequest => {
    const { response, credentials, signal } = request;
    const hadBody = response.req.complete;
    const requestId = getId(response);
    const { tenant, token } = principal;
    const reserve = (bytes: number): void => responseMemory.reserve(tenant, response, bytes);
    const responseSize = new ResponseSize({ maxBytes: maxResponseBytes, reserve });
    const isStillAuthorized = async (): Promise<boolean> => {
      const { authorization, session } = credentials;
      const caller = session
        ? await authenticateSession(client, session, now(), onError, { isUse: false })
        : await authenticate(authorization, now());
      return caller.kind === 'principal' && caller.principal.tenant.id === tenant.id;
    };
    return {
      requestId,
      signal,
      context: domain.contextFor(principal, { notifications, documents, requestId, signal, responseSize }),
      isStillAuthorized,
      confirmAccess: async () => {
        if (hadBody || (await isStillAuthorized())) return;
        await admit(request); // says why not
        forbidden(notMember); // a session that names no tenant is admitted to another one now
      },
      onAccessEnd: (end) => notifications.accessEndings.listen(accessKeys(principal), end),
      expiresInMs: token?.expiresAt ? token.expiresAt.getTime() - now().getTime() : null,
    };
  };

  const admit: Admit = async (request) => {
    const { response, credentials } = request;
    const caller = credentials.session
      ? await identifySession(credentials.session, response)
      : await identifyToken(credentials.authorization, response);
    // Only a request that reaches this check counts towards the limit.
    if (limiter) await limit(limiter, caller, response);
    requestLog.admitted(response, caller.logged);
    if (!response.req.complete) reserveBody(caller.principal.tenant, response);
    return open(caller, request);
  };

  return (request) => admit(request).catch((error) => retry.after(error, () => admit(request), request.signal));
}

const notMember = 'You do not belong to this tenant.';

type Session = NonNullable<Credentials['session']>;

function unauthenticated(response: ServerResponse, message: string): never {
  response.setHeader('WWW-Authenticate', 'Bearer');
  throw new CodedError('UNAUTHENTICATED', message);
}

function forbidden(message: string): never {
  throw new CodedError('FORBIDDEN', message);
}
