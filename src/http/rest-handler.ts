import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { isContention } from '../../prisma/client.ts';
import { readRequestBytes } from '../../rest-shim/request-body.ts';
import { createRouter, errorResponse, longestWaitOf, toErrorResponse } from '../../rest-shim/router.ts';
import type { Context } from '../../schema/context.ts';
import type { Refusal, RequestAdmission } from '../auth/request-admission.ts';
import type { Domain } from '../domain.ts';
import { idempotencyKeyOf, replayPolicyOfStatus, sha256, type IdempotencyHandler } from '../idempotency/idempotency.ts';
import type { AnswerMemory } from './answer-memory.ts';
import { withDeadline } from './deadline.ts';
import { idOf, type RequestLog } from './request-log.ts';
import { placeholderHostname, setHeaders, type Answer } from './responses.ts';
import type { Notifications } from '../notifications.ts';
import type { HttpTimeouts } from './timeouts.ts';

export interface RestHandlerOptions {
  domain: Domain;
  notifications: Notifications;
  admission: RequestAdmission;
  idempotent: IdempotencyHandler;
  requestLog: RequestLog;
  answerMemory: AnswerMemory;
  publicUrl: () => string;
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
  publicUrl,
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
      router(request, { context, requestId, report: isRetried ? reportUnlessRetried : report });
    const admit = async (request: Request, signal: AbortSignal): Promise<Response> => {
      const credentials = { authorization: request.headers.get('authorization') };
      const { headers, outcome, followed } = await admission.admit(credentials);
      setHeaders(response, headers);
      if (followed) requestLog.follow(response, followed);
      if ('refusal' in outcome) return refuse(outcome.refusal);
      requestLog.admitted(response);
      const answer = answerMemory.open(outcome.principal.tenant.id, response);
      const context = domain.contextFor(outcome.principal, { notifications, requestId, signal, answer });
      const key = idempotencyKeyOf(incoming);
      if (key === undefined) {
        const handled = await handle(request, context);
        if (waitMs === 0 || (await admission.isStillAuthorized(credentials, outcome.principal))) return handled;
        // Access ended while the request was waiting.
        const { outcome: now } = await admission.admit(credentials);
        return 'refusal' in now ? refuse(now.refusal) : handled;
      }
      const body = await readRequestBytes(request);
      const { url, ...init } = { url: request.url, method: request.method, headers: request.headers, body };
      const keyed = { method: init.method, path: new URL(url).pathname, key, body: sha256(body), requestId };
      return await idempotent(keyed, context, {
        handle: (inside) => handle(new Request(url, init), inside, true),
        replayPolicyOf: replayPolicyOfStatus,
      });
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
