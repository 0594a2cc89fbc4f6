import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Holder } from '../../../prisma/client.ts';
import { maxBodyBytes } from '../../../rest-shim/request-body.ts';
import type { CurrentTenant } from '../../../schema/graphql/identity.ts';
import { CodedError } from '../../../schema/errors/errors.ts';

/** How many bytes the bodies of a tenant may have that are on their way, in one process: 64 of the longest. */
export const maxArrivingBytes = 64 * maxBodyBytes;

/** Seconds after which a client should retry a request that was refused. */
const retryAfter = 1;

/**
 * Reserves memory for the rest of a request's body, until it has arrived. A client may take minutes to send it, and what has
 * come is in memory meanwhile.
 * @throws CodedError RATE_LIMITED
 */
export type ReserveBody = (tenant: Pick<CurrentTenant, 'holder'>, response: ServerResponse) => void;

export function createArrivingBodies(): ReserveBody {
  const holders = new Map<Holder, number>();
  return ({ holder }, response) => {
    const { req: request } = response;
    if (response.closed) return; // its client left
    const bytes = announcedBytes(request);
    const before = holders.get(holder) ?? 0;
    if (before + bytes > maxArrivingBytes)
      throw new CodedError('RATE_LIMITED', 'Too many long requests of this tenant are on their way.', { retryAfter });
    holders.set(holder, before + bytes);
    const release = (): void => {
      request.off('close', release);
      response.off('close', release);
      const left = (holders.get(holder) ?? bytes) - bytes;
      if (left > 0) holders.set(holder, left);
      else holders.delete(holder);
    };
    request.once('close', release);
    response.once('close', release);
  };
}

/** Longer bodies are refused, or written to disk as they come. */
function announcedBytes({ headers }: IncomingMessage): number {
  return Math.min(Number(headers['content-length'] ?? maxBodyBytes), maxBodyBytes);
}
