import type { IncomingMessage } from 'node:http';
import { parseTraceParent } from '../../observability/trace-parent.ts';
import { truncated } from '../../observability/bounded-log.ts';

/** A request's data from the trusted proxies before the service. Without such a proxy, a client could forge each. */
export interface ProxyHeaders {
  /** The client's address, for the log. */
  address: string;
  /** The request's id, so that one id leads through both logs. */
  requestId: string | undefined;
  traceId: string | undefined;
}

export const readProxyHeaders = (request: IncomingMessage, trustedProxies: number): ProxyHeaders => ({
  address: truncated(clientAddress(request, trustedProxies)),
  requestId: parseRequestId(request.headers['x-request-id']),
  traceId: parseTraceParent(request.headers['traceparent'])?.traceId,
});

/**
 * The client's address. Each proxy appends the address that it got the request from to `X-Forwarded-For`. Entries to the left
 * of those that our own proxies added may be forged by the client.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const hops = [...forwarded.map(withoutPort).filter(Boolean), socket.remoteAddress ?? ''];
  return hops.at(-1 - trustedProxies) ?? hops[0] ?? '';
}

/** Removes the port, which some proxies add, and which differs with every connection. */
const withoutPort = (address: string): string => address.trim().replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3');

/** A UUID, or its digits alone, as nginx's `$request_id` has them. */
const idPattern = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

function parseRequestId(header: unknown): string | undefined {
  const parts = typeof header === 'string' ? idPattern.exec(header) : null;
  return parts?.slice(1).join('-').toLowerCase();
}
