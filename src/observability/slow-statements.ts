import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { setTracer, tracer } from '../../schema/graphql/execution/tracing.ts';
import { BoundedLog } from './bounded-log.ts';
import { getMethod, findRoute } from './metrics/route.ts';
import { withoutValues } from './statement-text.ts';
import type { Listener } from './tracing.ts';

/** The longest part of a statement that is logged, in characters. */
const longestStatement = 500;

/** What a statement is sent for. */
interface Origin {
  /** The operation of the API, the task of a job, or their step, such as `event invoice.issued`. */
  operation?: string;
  request?: IncomingMessage;
  response?: ServerResponse;
}

const origins = new AsyncLocalStorage<Origin>();

/** Runs work whose statements belong to an operation. */
export const inOperation = <T>(operation: string, work: () => T): T =>
  origins.run({ ...origins.getStore(), operation }, work);

export interface SlowStatements {
  /** Wraps a listener, so that the statements of its requests are logged with the route and the request's id. */
  requests(listener: Listener): Listener;
  close(): void;
}

/**
 * Logs each statement of the process that takes longer than `slowMs`: its operation, route, time, and text without values. The
 * number of lines is limited. Where traces are made, startTracing() must come first.
 */
export function logSlowStatements(log: Logger, slowMs: number): SlowStatements {
  const bounded = new BoundedLog(log);
  const outer = tracer;
  setTracer({
    step: outer ? (name, work, parent) => inOperation(name, () => outer.step(name, work, parent)) : inOperation,
    parent: outer?.parent,
  });
  const stopObserving = observeStatements(({ text }) => {
    const sentAt = performance.now();
    const origin = origins.getStore();
    return (error) => {
      const ms = Math.round(performance.now() - sentAt);
      if (ms < slowMs) return;
      const { operation, request, response } = origin ?? {};
      const route = request && nameRoute(request);
      const requestId = response?.getHeader('X-Request-Id');
      const statement = withoutValues(text).replaceAll(/\s+/g, ' ').trim().slice(0, longestStatement);
      const code = (error as { code?: string } | undefined)?.code;
      bounded.warn(
        { operation, route, ms, statement, requestId, ...(error ? { code: code ?? 'failed' } : {}) },
        'slow',
      );
    };
  });
  return {
    requests: (listener) => (request, response) => origins.run({ request, response }, listener, request, response),
    close: () => {
      stopObserving();
      setTracer(outer);
    },
  };
}

function nameRoute({ method, url = '/' }: IncomingMessage): string {
  const [path = '/'] = url.split('?', 1);
  return `${getMethod(method)} ${findRoute(path).route}`;
}
