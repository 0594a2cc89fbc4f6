/** The span of a caller, from W3C's `traceparent`. */
export interface TraceParent {
  traceId: string;
  spanId: string;
  /** Two hexadecimal digits. */
  flags: string;
}

const pattern = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** @returns undefined if it is none */
export function parseTraceParent(header: unknown): TraceParent | undefined {
  const [, traceId, spanId, flags] = (typeof header === 'string' && pattern.exec(header)) || [];
  return traceId && spanId && flags ? { traceId, spanId, flags } : undefined;
}
