import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { observeStatements } from '../prisma/connection.ts';
import { setTracer } from '../schema/execution/tracing.ts';
import { methodOf, routeOf } from './metrics/route.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface Tracing {
  /** The same listener, each request to a door a trace. */
  requests(listener: Listener): Listener;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/**
 * Traces what this process does, from a request through its operation and statements to its events; and from an event,
 * whose row keeps where it was, to its fan-out and each attempt to deliver it. To where OpenTelemetry's own variables
 * say (OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS), as JSON over HTTP.
 *
 * This file and what it imports are loaded only where that is asked for.
 */
export function startTracing(): Tracing {
  const resource = resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] || 'kontor' });
  const provider = new TracerProvider({
    resource: defaultResource().merge(resource),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 1000 })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const tracer = provider.getTracer('kontor');

  const step = <T>(name: string, work: () => T, parent?: string | null): T => {
    const around = parent === undefined ? context.active() : within(parent);
    if (!trace.getSpan(around)) return work(); // nobody's: a job's upkeep, say
    const span = tracer.startSpan(name, {}, around);
    return context.with(trace.setSpan(around, span), () => ending(span, work));
  };
  setTracer({ step, parent: () => named(trace.getActiveSpan()) });

  const stopObserving = observeStatements((statement) => {
    if (!trace.getActiveSpan()) return undefined;
    const text = withoutValues(statement.text);
    const [verb = ''] = /^\s*\w+/.exec(text) ?? [];
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
    const span = tracer.startSpan(`SQL ${verb.trim().toLowerCase()}`, { kind: SpanKind.CLIENT, attributes });
    return (error) => end(span, error);
  });

  return {
    requests: (listener) => (request, response) => {
      const { door, route } = routeOf((request.url ?? '/').split('?', 1)[0] ?? '/');
      if (door !== 'rest' && door !== 'graphql' && door !== 'auth') return listener(request, response);
      const method = methodOf(request.method);
      const around = within(request.headers.traceparent);
      const attributes = { 'http.request.method': method, 'http.route': route };
      const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, around);
      response.once('close', () => {
        span.setAttribute('kontor.request_id', String(response.getHeader('X-Request-Id')));
        span.setAttribute('http.response.status_code', response.statusCode);
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      context.with(trace.setSpan(around, span), listener, undefined, request, response);
    },
    close: () => {
      stopObserving();
      return provider.shutdown();
    },
  };
}

/** Runs a span's work, and ends the span when the result has settled. */
function ending<T>(span: Span, work: () => T): T {
  try {
    const result = work();
    if (!(result instanceof Promise)) {
      end(span);
      return result;
    }
    result.then(
      () => end(span),
      (error: unknown) => end(span, error ?? true),
    );
    return result;
  } catch (error) {
    end(span, error ?? true);
    throw error;
  }
}

/** The span has no error message, which may quote a client's data: the log has it. */
function end(span: Span, error?: unknown): void {
  if (error) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Our statements' values are parameters; those that can't be are left out here. */
const withoutValues = (sql: string): string => sql.replace(/'(?:[^']|'')*'/g, "'…'");

/** A span as W3C's `traceparent`. */
function named(span: Span | undefined): string | null {
  if (!span) return null;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Within the span that a `traceparent` names, if it does name one. */
function within(parent: unknown): Context {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/.exec(String(parent)) ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
