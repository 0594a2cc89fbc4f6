import type { IncomingMessage, ServerResponse } from 'node:http';

/** What wasn't answered in time: a fault of ours, told and logged like any other. */
export class OverdueError extends Error {
  constructor(ms: number) {
    super(`Not answered within ${ms / 1000} seconds`);
  }
}

/** How often in its time is looked whether a request has arrived. */
const checksPerDeadline = 10;

/**
 * Does a request's work, for so many milliseconds from its arrival at most, whatever it waits for. What it comes to
 * later is nobody's: by the signal it learns to ask the tenant's tables for nothing more, and to commit nothing. A
 * request has arrived once nothing of it is awaited any more, to a tenth of that time: its sender's is timeouts.ts's.
 * What has begun to be answered is a stream, and ends otherwise: subscription-authorization.ts.
 * @throws OverdueError
 */
export function withDeadline<Result>(
  ms: number,
  request: IncomingMessage,
  response: ServerResponse,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const time = new AbortController();
  return new Promise((resolve, reject) => {
    let arrived = performance.now();
    let timer: NodeJS.Timeout;
    const look = (): void => {
      if (response.headersSent) return;
      if (isBeingSent(request)) arrived = performance.now();
      const left = arrived + ms - performance.now();
      if (left > 0) {
        timer = setTimeout(look, Math.min(left, ms / checksPerDeadline));
        return;
      }
      const overdue = new OverdueError(ms);
      time.abort(overdue);
      reject(overdue);
    };
    look();
    response.once('close', () => clearTimeout(timer));
    work(time.signal).then(resolve, reject);
  });
}

/** Whether there is more to come, and nothing that we haven't read. */
const isBeingSent = (request: IncomingMessage): boolean => !request.complete && request.readableLength === 0;
