import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { errorResponse, toErrorResponse } from '../../../rest-shim/router.ts';
import { truncated } from '../http/bounded-log.ts';
import { clientAddress } from '../http/client-address.ts';
import { withDeadline } from '../http/deadline.ts';
import { idOf, type RequestLog } from '../http/request-log.ts';
import { placeholderHostname, type Answer } from '../http/responses.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { AuthRequestContext } from './router.ts';
import type { createAuthRoutes } from './routes.ts';
import type { HttpTimeouts } from '../http/timeouts.ts';

export interface AuthHandlerOptions {
  routes: ReturnType<typeof createAuthRoutes>;
  log: Logger;
  requestLog: RequestLog;
  metrics: Metrics | undefined;
  /** The number of trusted proxies in front of the service, which set `X-Forwarded-For`. */
  trustedProxies: number;
  timeouts: HttpTimeouts;
}

/** Sign-in, sessions and invitations over HTTP. */
export function createAuthHandler({
  routes,
  log,
  requestLog,
  metrics,
  trustedProxies,
  timeouts,
}: AuthHandlerOptions): Answer {
  return (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = idOf(response);
    const report = (err: unknown): void => requestLog.fault(response, err);
    const address = clientAddress(incoming, trustedProxies);
    const logOutcome: AuthRequestContext['logOutcome'] = (outcome, userId) => {
      const to = outcome === 'entered' ? log : requestLog.beforeAdmission;
      to.info({ requestId, address: truncated(address), outcome, userId }, 'sign-in');
      metrics?.signIn(outcome);
    };
    const authRequest = { incoming, address, requestId, report, logOutcome };
    const answered = (request: Request) =>
      withDeadline(timeouts.answerMs, incoming, response, () => routes(request, authRequest)).catch((error: unknown) =>
        toErrorResponse(error, request, authRequest),
      );
    const listener = getRequestListener(answered, {
      hostname: placeholderHostname,
      errorHandler: () => errorResponse(404, 'Not found.', requestId),
    });
    return listener(incoming, response);
  };
}
