import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { currentSender } from '../../prisma/client.ts';
import { observeSlowStatements } from '../../prisma/connection/connection.ts';
import { BoundedLog } from './bounded-log.ts';
import { getMethod, findRoute } from './metrics/route.ts';
import { withoutValues } from './statement-text.ts';

/** The longest part of a statement that is logged, in characters. */
const longestStatement = 500;

/**
 * Logs each statement of the process that takes longer than `slowMs`: its operation, route, time, and text without values. The
 * number of lines is limited.
 * @returns a function that ends it
 */
export function logSlowStatements(log: Logger, slowMs: number): () => void {
  const bounded = new BoundedLog(log);
  return observeSlowStatements(slowMs, ({ text }, ms, error) => {
    const { operation, toLogFields } = currentSender() ?? {};
    const statement = withoutValues(text).replaceAll(/\s+/g, ' ').trim().slice(0, longestStatement);
    const code = (error as { code?: string } | undefined)?.code;
    bounded.warn(
      {
        operation,
        ...toLogFields?.(),
        ms: Math.round(ms),
        statement,
        ...(error ? { code: code ?? 'failed' } : {}),
      },
      'slow',
    );
  });
}

/** The log's fields about the request of a slow statement. */
export function describeRequest({ method, url = '/' }: IncomingMessage, response: ServerResponse): object {
  const [path = '/'] = url.split('?', 1);
  return { route: `${getMethod(method)} ${findRoute(path).route}`, requestId: response.getHeader('X-Request-Id') };
}
