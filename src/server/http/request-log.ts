import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentTime } from '../../../prisma/clock.ts';
import type { Logger } from 'pino';
import { asCoded } from '../../../schema/errors/errors.ts';
import { BoundedLog, longestText, truncated } from '../../observability/bounded-log.ts';
import { readProxyHeaders } from './proxy-headers.ts';
import type { FollowedToken, RequestAnnouncer } from './request-announcer.ts';

/** The id of a request, from its response's header. */
export const getId = (response: ServerResponse): string => String(response.getHeader('X-Request-Id'));

/** The end of an invitation's link. Its secret isn't logged: anybody with the secret can join. */
const invitationPattern = /\/invitation\/.*/;

/** Who makes a request, by ids. */
export interface LoggedCaller {
  tenantId: string;
  tokenId?: string;
  sessionId?: string;
}

export interface RequestLogOptions {
  /** The number of trusted proxies in front of the service. Only these give addresses, ids, and traces of requests. */
  trustedProxies?: number;
  /** The id of the current trace, if traces are made. */
  traceId?: (() => string | undefined) | undefined;
}

/**
 * Logs a line for each request once it is answered, without its query, body or token. The lines of requests that were not
 * admitted are limited here; those of admitted requests are limited by the rate limit.
 */
export class RequestLog {
  /** For other events that clients without a valid token cause. */
  readonly beforeAdmission: BoundedLog;
  /** For errors that such clients meet. It has a limit of its own, so that a flood of requests can't hide an error. */
  readonly errorsBeforeAdmission: BoundedLog;
  readonly #log: Logger;
  readonly #admitted = new WeakMap<ServerResponse, LoggedCaller>();
  readonly #followed = new WeakMap<ServerResponse, FollowedToken>();
  readonly #announcer: RequestAnnouncer;
  readonly #trustedProxies: number;
  readonly #traceId: (() => string | undefined) | undefined;

  constructor(log: Logger, announcer: RequestAnnouncer, { trustedProxies = 0, traceId }: RequestLogOptions = {}) {
    this.#log = log;
    this.#announcer = announcer;
    this.#trustedProxies = trustedProxies;
    this.#traceId = traceId;
    this.beforeAdmission = new BoundedLog(log);
    this.errorsBeforeAdmission = new BoundedLog(log);
  }

  /** Gives the request its id, and writes its line to the log once it is answered. */
  readonly watch = (request: IncomingMessage, response: ServerResponse, path: string): void => {
    const proxied = this.#trustedProxies > 0 ? readProxyHeaders(request, this.#trustedProxies) : undefined;
    const requestId = proxied?.requestId ?? randomUUID();
    const address = proxied?.address ?? request.socket.remoteAddress ?? '';
    const traceId = this.#traceId?.() ?? proxied?.traceId;
    const start = performance.now();
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const ms = Math.round((performance.now() - start) * 10) / 10;
      const aborted = !response.writableFinished;
      const replayed = getId(response) !== requestId && { replayed: getId(response) };
      const caller = this.#admitted.get(response);
      const log = caller ? this.#log : this.beforeAdmission;
      const { statusCode: status } = response;
      const { method = '' } = request;
      const logged = path.replace(invitationPattern, '/invitation/…');
      const shownPath = logged.length > longestText ? truncated(logged) : logged;
      const from = { ...caller, address, ...(traceId !== undefined && { traceId }) };
      const answered = { status, ms, ...(aborted && { aborted }), ...replayed };
      log.info({ requestId, method, path: shownPath, ...answered, ...from }, 'request');
      const followed = this.#followed.get(response);
      if (!followed) return;
      this.#announcer.announce(followed, {
        requestId,
        method,
        path: shownPath,
        status,
        durationMs: Math.round(ms),
        isAborted: aborted,
        startedAt: new Date(currentTime().getTime() - ms).toISOString(),
      });
    });
  };

  /** Logs an error of the service in a request, or, as a warning, why it could not answer. */
  error(response: ServerResponse, err: unknown): void {
    const caller = this.#admitted.get(response);
    const log = caller ? this.#log : this.errorsBeforeAdmission;
    const entry = { err, requestId: getId(response), ...caller };
    if (asCoded(err)) log.warn(entry, 'unavailable');
    else log.error(entry, 'internal error');
  }

  /** Has a request announced to whoever follows its token. */
  follow(response: ServerResponse, token: FollowedToken): void {
    this.#followed.set(response, token);
  }

  /** Marks a request as admitted: token or session, tenant, and rate limit were checked. */
  admitted(response: ServerResponse, caller: LoggedCaller): void {
    this.#admitted.set(response, caller);
  }
}
