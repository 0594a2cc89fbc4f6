// The domain's interface to tracing and to the log of slow statements, which src/observability/ implements.

export interface Tracer {
  /** Runs work as a span: of the current trace, or of the trace that `parent` names. */
  step: <T>(name: string, work: () => T, parent?: string | null) => T;
  /** The current span as W3C's `traceparent`; null outside of a trace. Undefined where no traces are made. */
  parent?: (() => string | null) | undefined;
}

/** Undefined where both are off. Work that every request does asks it without a function in between. */
export let tracer: Tracer | undefined;

export const setTracer = (by: Tracer | undefined): void => void (tracer = by);

/** Runs work as a span, if there is a tracer: see Tracer.step(). */
export const traced: Tracer['step'] = (name, work, parent) => (tracer ? tracer.step(name, work, parent) : work());
