import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { isConnectionLost, isContention } from '../../../prisma/client.ts';
import { readRequestBytes } from '../../../rest-shim/request-body.ts';
import { isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import { createRouter, errorResponse, longestWaitOf, toErrorResponse } from '../../../rest-shim/router.ts';
import type { Context, Principal } from '../../../schema/graphql/context.ts';
import type { Refusal, RequestAdmission } from '../auth/request-admission.ts';
import type { Domain } from '../../domain.ts';
import {
  idempotencyKeyOf,
  replayPolicyOfStatus,
  sha256,
  type IdempotencyHandler,
} from '../../security/idempotency/idempotency.ts';
import { accessKeys } from '../../notifications/access-endings.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { WaitForTurn } from './body-turns.ts';
import { withDeadline } from './deadline.ts';
import type { ReadRetry } from './read-retry.ts';
import { idOf, type RequestLog } from './request-log.ts';
import { placeholderHostname, setHeaders, type Answer } from './responses.ts';
import type { Notifications } from '../../notifications/notifications.ts';
import type { HttpTimeouts } from './timeouts.ts';

export interface RestHandlerOptions {
  domain: Domain;
  notifications: Notifications;
  admission: RequestAdmission;
  idempotent: IdempotencyHandler;
  requestLog: RequestLog;
  answerMemory: AnswerMemory;
  retry: ReadRetry;
  bodyTurns: WaitForTurn;
  publicUrl: () => string;
  now: () => Date;
  timeouts: HttpTimeouts;
}

/** REST v1 over HTTP: admits a request, replays a repeated one, and runs any other in the router. */
export function createRestHandler({
  domain,
  notifications,
  admission,
  idempotent,
  requestLog,
  answerMemory,
  retry,
  bodyTurns,
  publicUrl,
  now,
  timeouts,
}: RestHandlerOptions): Answer {
  const router = createRouter(domain, publicUrl);
  return (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = idOf(response);
    const waitMs = longestWaitOf(incoming.url ?? '');
    const refuse = ({ status, message }: Refusal): Response => errorResponse(status, message, requestId);
    const report = (err: unknown): void => requestLog.fault(response, err);
    // Contention is retried, and reported only if no retry succeeds.
    const reportUnlessRetried = (err: unknown): void => (isContention(err) ? undefined : report(err));
    const handle = (request: Request, context: Context, isRetried = false) =>
      router(request, {
        context,
        requestId,
        report: isRetried ? reportUnlessRetried : report,
        // Within the transaction of a key, nothing waits: it was waited for before.
        ...(!isRetried && { beforeParsing: (length) => bodyTurns(context, length) }),
      });
    /** @throws the error of a read whose connection was lost, so that it can be tried again */
    const read = async (request: Request, context: Context): Promise<Response> => {
      let failure: { error: unknown } | undefined;
      const answer = await router(request, { context, requestId, report: (error) => (failure = { error }) });
      if (failure && isConnectionLost(failure.error)) throw failure.error;
      if (failure) report(failure.error);
      return answer;
    };
    const admit = async (request: Request, signal: AbortSignal): Promise<Response> => {
      const credentials = { authorization: request.headers.get('authorization') };
      const { headers, outcome, followed } = await admission.admit(credentials, signal);
      setHeaders(response, headers);
      if (followed) requestLog.follow(response, followed);
      if ('refusal' in outcome) return refuse(outcome.refusal);
      requestLog.admitted(response);
      const { principal } = outcome;
      const answer = answerMemory.open(principal.tenant.id, response);
      const context = domain.contextFor(principal, { notifications, requestId, signal, answer });
      const isAuthorized = (): Promise<boolean> => admission.isStillAuthorized(credentials, principal);
      const key = idempotencyKeyOf(incoming);
      if (key === undefined) {
        const isRead = ['GET', 'HEAD'].includes(request.method);
        if (waitMs === 0) return isRead ? retry.run(() => read(request, context), signal) : handle(request, context);
        const access = followAccess(principal, isAuthorized);
        const handled = await retry
          .run(() => read(withSignal(request, access.ended), access.watchedBy(context)), signal)
          .finally(access.stop);
        if (await isAuthorized()) return handled;
        // Access ended while the request was waiting.
        const { outcome: again } = await admission.admit(credentials, signal);
        return 'refusal' in again ? refuse(again.refusal) : handled;
      }
      const body = await readRequestBytes(request);
      await bodyTurns(context, body.length);
      const { url, ...init } = { url: request.url, method: request.method, headers: request.headers, body };
      const keyed = {
        method: init.method,
        path: canonicalPath(new URL(url).pathname),
        key,
        body: sha256(body),
        requestId,
      };
      return await idempotent(keyed, context, {
        handle: (inside) => handle(new Request(url, init), inside, true),
        replayPolicyOf: replayPolicyOfStatus,
      });
    };
    /** Ends the wait of a request with its caller's access, as a subscription ends. */
    const followAccess = (principal: Principal, isAuthorized: () => Promise<boolean>) => {
      const ending = new AbortController();
      const end = (): void => ending.abort();
      // A change of the token is announced as well, and a failed check is one that the end of the wait repeats.
      const check = (): void => void isAuthorized().then((admitted) => admitted || end(), end);
      const stopListening = notifications.accessEndings.listen(accessKeys(principal), check);
      const expiresInMs = principal.token?.expiresAt ? principal.token.expiresAt.getTime() - now().getTime() : Infinity;
      const expiry = expiresInMs <= waitMs ? setTimeout(end, Math.max(0, expiresInMs) + 1) : undefined;
      return {
        ended: ending.signal,
        stop: (): void => {
          stopListening();
          clearTimeout(expiry);
        },
        watchedBy: (context: Context): Context => ({
          ...context,
          watch: async (...args) => {
            const watcher = await context.watch(...args);
            check(); // access may have ended before this process listened
            return watcher;
          },
        }),
      };
    };
    const listener = getRequestListener(
      (request) =>
        withDeadline(timeouts.answerMs + waitMs, incoming, response, (signal) => admit(request, signal)).catch(
          (error: unknown) => toErrorResponse(error, request, { requestId, report }),
        ),
      // A path that isn't valid in a URL is not found.
      { hostname: placeholderHostname, errorHandler: () => errorResponse(404, 'Not found.', requestId) },
    );
    return listener(incoming, response);
  };
}

const withSignal = ({ url, method, headers, signal }: Request, another: AbortSignal): Request =>
  new Request(url, { method, headers, signal: AbortSignal.any([signal, another]) });

/** One path for each resource: the router also takes slashes at the end, and ids in capitals or percent-encoded. */
function canonicalPath(pathname: string): string {
  const segments = pathname.replace(/\/+$/, '').split('/');
  return segments.map((segment) => uuidOf(segment) ?? segment).join('/');
}

function uuidOf(segment: string): string | undefined {
  try {
    const decoded = decodeURIComponent(segment);
    return isUuid(decoded) ? decoded.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
