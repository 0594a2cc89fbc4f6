import { ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { toErrorResponse } from '../../../rest-shim/router.ts';
import { truncated } from '../../observability/bounded-log.ts';
import { clientAddress } from '../http/proxy-headers.ts';
import { withDeadline } from '../http/deadline.ts';
import { getId, type RequestLog } from '../http/request-log.ts';
import { placeholderHostname, respondNotFound, type Handler } from '../http/responses.ts';
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
}: AuthHandlerOptions): Handler {
  const listener = getRequestListener(
    (request, { outgoing: response }) => {
      if (!(response instanceof ServerResponse)) throw new Error('This is no server of HTTP/1.1');
      const requestId = getId(response);
      const address = clientAddress(response.req, trustedProxies);
      const authRequest: AuthRequestContext = {
        incoming: response.req,
        address,
        requestId,
        report: (err) => requestLog.error(response, err),
        logOutcome: (outcome, userId) => {
          const to = outcome === 'entered' ? log : requestLog.beforeAdmission;
          to.info({ requestId, address: truncated(address), outcome, userId }, 'sign-in');
          metrics?.signIn(outcome);
        },
      };
      return withDeadline(timeouts.responseMs, response, () => routes(request, authRequest)).catch((error: unknown) =>
        toErrorResponse(error, request, authRequest),
      );
    },
    { hostname: placeholderHostname, errorHandler: () => {} },
  );
  return async (request, response) => {
    await listener(request, response);
    if (!response.headersSent) respondNotFound(request, response); // its path isn't valid in a URL
  };
}
