import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A UUID, or its digits alone, as nginx's `$request_id` has them. */
const pattern = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

/**
 * A request's id: that of a trusted proxy, so that one id leads through both logs, or a new one. A client's own could be
 * another request's.
 */
export function chooseRequestId({ headers }: IncomingMessage, trustedProxies: number): string {
  const given = trustedProxies > 0 ? headers['x-request-id'] : undefined;
  const parts = typeof given === 'string' ? pattern.exec(given) : null;
  return parts ? parts.slice(1).join('-').toLowerCase() : randomUUID();
}
