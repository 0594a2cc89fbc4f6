import type { IncomingMessage, ServerResponse } from 'node:http';
import { UnavailableError } from '../../../prisma/client.ts';
import { CodedError } from '../../../schema/errors/errors.ts';

/** The response took too long. */
class OverdueError extends UnavailableError {
  constructor(ms: number) {
    super(`Not answered within ${ms / 1000} seconds`);
  }
}

/** Nobody reads the response any more. This is no error of the service. */
export class ClientLeftError extends CodedError {
  constructor() {
    super('VALIDATION_FAILED', 'The client left before the answer.');
  }
}

/** Extends a deadline, by so many milliseconds in all. */
export type Extend = (byMs: number) => void;

/** How often within the deadline the request's arrival is checked. */
const checksPerDeadline = 10;

/**
 * Runs a request's work with a deadline, counted from the request's arrival. After the deadline the result is discarded, and
 * the signal stops further statements and commits. A request has arrived once its whole body has, checked at intervals; how
 * long the client may take for that is up to timeouts.ts. The deadline doesn't apply once the response has begun: it is then
 * a stream, which subscription-authorization.ts ends.
 * @param endsWithClient whether the signal is aborted as well when the client leaves before it is answered
 * @throws OverdueError
 * @throws ClientLeftError
 */
export function withDeadline<Result>(
  ms: number,
  response: ServerResponse,
  work: (signal: AbortSignal, extend: Extend) => Promise<Result>,
  { endsWithClient = false }: { endsWithClient?: boolean } = {},
): Promise<Result> {
  const time = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (error: Error): void => {
    time.abort(error);
    reject(error);
  };
  let arrived = performance.now();
  let extension = 0;
  const check = (): void => {
    if (response.headersSent) return;
    if (isBeingSent(response.req)) arrived = performance.now();
    const left = arrived + ms + extension - performance.now();
    if (left > 0) timer = setTimeout(check, Math.min(left, ms / checksPerDeadline));
    else end(new OverdueError(ms + extension));
  };
  let timer = setTimeout(check, ms / checksPerDeadline);
  response.once('close', () => {
    clearTimeout(timer);
    if (endsWithClient && !response.writableFinished) end(new ClientLeftError());
  });
  return Promise.race([work(time.signal, (byMs) => (extension = byMs)), ended]);
}

/** Whether the client is still sending, and everything that has arrived is read. */
const isBeingSent = (request: IncomingMessage): boolean => !request.complete && request.readableLength === 0;
