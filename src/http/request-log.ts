import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { BoundedLog, truncated } from './bounded-log.ts';

/** The id of a request, as its answer carries it. */
export const idOf = (response: ServerResponse): string => String(response.getHeader('X-Request-Id'));

/** Removes an invitation's secret from its link: whoever reads the secret may join. */
const withoutSecret = (path: string): string => path.replace(/\/invitation\/.*/, '/invitation/…');

/**
 * A line for each request, once it is answered. Never its query, body or token. Requests that were not admitted have
 * a bounded number of lines; those of the admitted are bounded by their rate limit.
 */
export class RequestLog {
  /** For what else strangers cause. */
  readonly strangers: BoundedLog;
  /** For faults of ours that strangers meet. By itself: a flood of requests must not hide a fault. */
  readonly strangersFaults: BoundedLog;
  readonly #log: Logger;
  readonly #admitted = new WeakSet<ServerResponse>();

  constructor(log: Logger) {
    this.#log = log;
    this.strangers = new BoundedLog(log);
    this.strangersFaults = new BoundedLog(log);
  }

  /** Gives the request its id, and writes its line to the log once it is answered. */
  watch(request: IncomingMessage, response: ServerResponse, path: string): void {
    const requestId = randomUUID();
    const start = performance.now();
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const ms = Math.round((performance.now() - start) * 10) / 10;
      const aborted = !response.writableFinished;
      const replayed = idOf(response) !== requestId && { replayed: idOf(response) };
      const log = this.#admitted.has(response) ? this.#log : this.strangers;
      log.info(
        {
          requestId,
          method: request.method,
          path: truncated(withoutSecret(path)),
          status: response.statusCode,
          ms,
          ...(aborted && { aborted }),
          ...replayed,
        },
        'request',
      );
    });
  }

  /** Notes a fault of ours that a request met. */
  fault(response: ServerResponse, err: unknown): void {
    const log = this.#admitted.has(response) ? this.#log : this.strangersFaults;
    log.error({ err, requestId: idOf(response) }, 'fault');
  }

  /** The request has passed the gate: token or session, tenant, rate limit. */
  admitted(response: ServerResponse): void {
    this.#admitted.add(response);
  }
}
