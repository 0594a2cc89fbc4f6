import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { isConnectionLost, isContention } from '../../../prisma/client.ts';
import { readRequestBytes } from '../../../rest-shim/request-body.ts';
import { isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import { createRouter, errorResponse, toErrorResponse } from '../../../rest-shim/router.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import type { WhileWaiting } from '../../../rest-shim/rest-request.ts';
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
import { createWhileWaiting } from './long-poll.ts';
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
    const read = async (request: Request, context: Context, whileWaiting: WhileWaiting): Promise<Response> => {
      let failure: { error: unknown } | undefined;
      const note = (error: unknown): void => void (failure = { error });
      const answer = await router(request, { context, requestId, report: note, whileWaiting });
      if (failure && isConnectionLost(failure.error)) throw failure.error;
      if (failure) report(failure.error);
      return answer;
    };
    const admit = async (request: Request, signal: AbortSignal, extend: (byMs: number) => void): Promise<Response> => {
      const credentials = { authorization: request.headers.get('authorization') };
      const { headers, outcome, followed } = await admission.admit(credentials, signal);
      setHeaders(response, headers);
      if (followed) requestLog.follow(response, followed);
      if ('refusal' in outcome) return refuse(outcome.refusal);
      requestLog.admitted(response);
      const { principal } = outcome;
      const answer = answerMemory.open(principal.tenant.id, response);
      const context = domain.contextFor(principal, { notifications, requestId, signal, answer });
      const key = idempotencyKeyOf(incoming);
      if (key === undefined) {
        if (!['GET', 'HEAD'].includes(request.method)) return handle(request, context);
        const whileWaiting = createWhileWaiting({
          extend,
          signal: request.signal,
          isStillAuthorized: () => admission.isStillAuthorized(credentials, principal),
          onAccessEnd: (end) => notifications.accessEndings.listen(accessKeys(principal), end),
          expiresInMs: principal.token?.expiresAt ? principal.token.expiresAt.getTime() - now().getTime() : null,
          readmit: async () => {
            const { outcome: again } = await admission.admit(credentials, signal);
            return 'refusal' in again ? again.refusal : undefined;
          },
        });
        return retry.run(() => read(request, context, whileWaiting), signal);
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
    const listener = getRequestListener(
      (request) =>
        withDeadline(timeouts.answerMs, incoming, response, (...deadline) => admit(request, ...deadline)).catch(
          (error: unknown) => toErrorResponse(error, request, { requestId, report }),
        ),
      // A path that isn't valid in a URL is not found.
      { hostname: placeholderHostname, errorHandler: () => errorResponse(404, 'Not found.', requestId) },
    );
    return listener(incoming, response);
  };
}

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
