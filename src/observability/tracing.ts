import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { inOperation } from '../../prisma/client.ts';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { setTracer } from '../../schema/graphql/execution/tracing.ts';
import { getMethod, findRoute } from './metrics/route.ts';
import { withoutValues } from './statement-text.ts';
import { parseTraceParent } from './trace-parent.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface Tracing {
  /** Wraps a listener, so that each request to an API is a trace. */
  requests(listener: Listener): Listener;
  /** The id of the current trace; undefined outside of one. */
  traceId(): string | undefined;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/**
 * Traces requests: the operation, its statements and its events. The fan-out of an event and its delivery attempts continue
 * the trace, whose context is stored in the event's row. Traces are sent as JSON over HTTP; OpenTelemetry's own variables
 * name the endpoint (OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS).
 *
 * This file and its imports are loaded only if tracing is switched on.
 * @param trustedProxies in front of the service: without one, a request's `traceparent` is a client's own, and not continued
 */
export function startTracing(trustedProxies: number): Tracing {
  const resource = resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] || 'kontor' });
  const provider = new TracerProvider({
    resource: defaultResource().merge(resource),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 1000 })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const tracer = provider.getTracer('kontor');

  const step = <T>(name: string, work: () => T, parent?: string | null): T => {
    const parentContext = parent === undefined ? context.active() : parseContext(parent);
    if (!trace.getSpan(parentContext)) return work(); // outside of a trace, such as maintenance of the queue
    const span = tracer.startSpan(name, {}, parentContext);
    return context.with(trace.setSpan(parentContext, span), () => runAndEnd(span, work));
  };
  setTracer({
    step: (name, work, parent) => inOperation(name, () => step(name, work, parent)),
    parent: () => formatTraceParent(trace.getActiveSpan()),
  });

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
      const { api, route } = findRoute((request.url ?? '/').split('?', 1)[0] ?? '/');
      if (api !== 'rest' && api !== 'graphql' && api !== 'auth') return listener(request, response);
      const method = getMethod(request.method);
      const parentContext = trustedProxies > 0 ? parseContext(request.headers.traceparent) : ROOT_CONTEXT;
      const attributes = { 'http.request.method': method, 'http.route': route };
      const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parentContext);
      response.once('close', () => {
        span.setAttribute('kontor.request_id', String(response.getHeader('X-Request-Id')));
        span.setAttribute('http.response.status_code', response.statusCode);
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      context.with(trace.setSpan(parentContext, span), listener, undefined, request, response);
    },
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    close: () => {
      stopObserving();
      return provider.shutdown();
    },
  };
}

/** Runs a span's work, and ends the span when the result has settled. */
function runAndEnd<T>(span: Span, work: () => T): T {
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

/** The span doesn't get the error message, which may contain a client's data. The log has it. */
function end(span: Span, error?: unknown): void {
  if (error) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** A span as W3C's `traceparent`. */
function formatTraceParent(span: Span | undefined): string | null {
  if (!span) return null;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The context of the span in a `traceparent`, if it is valid. */
function parseContext(parent: unknown): Context {
  const found = parseTraceParent(parent);
  if (!found) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = found;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
