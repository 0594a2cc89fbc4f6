import type { IncomingMessage } from 'node:http';

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
