// What the domain says to who traces requests, where somebody does: src/tracing.ts.

export interface Tracer {
  /** Does a piece of work as a step of the trace: of the one under way, or of the one that `parent` names. */
  step: <T>(name: string, work: () => T, parent?: string | null) => T;
  /** Where in a trace we are, as W3C's `traceparent`; null where in none. */
  parent: () => string | null;
}

let tracer: Tracer | undefined;

export const traceBy = (by: Tracer): void => void (tracer = by);

export const traced: Tracer['step'] = (name, work, parent) => (tracer ? tracer.step(name, work, parent) : work());

export const traceParent: Tracer['parent'] = () => tracer?.parent() ?? null;
