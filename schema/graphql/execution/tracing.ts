import { inOperation } from '../../../prisma/client.ts';

// The domain's interface to tracing, which src/observability/ implements.

export interface Tracer {
  /**
   * Runs work as a step of a request or job. Its statements are logged under this name. Where traces are made, the step is a
   * span of the current trace, or of the trace that `parent` names.
   */
  step: <T>(name: string, work: () => T, parent?: string | null) => T;
  /** The current span as W3C's `traceparent`; null outside of a trace. Undefined where no traces are made. */
  parent?: (() => string | null) | undefined;
}

/** Without traces, a step only names its statements. */
export let tracer: Tracer = { step: inOperation };

export const setTracer = (by: Tracer): void => void (tracer = by);
