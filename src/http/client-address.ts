import type { IncomingMessage } from 'node:http';

/**
 * Where a request comes from. Each proxy adds whom it heard it from to the right of `X-Forwarded-For`; what stands
 * further left than our own proxies wrote, the client made up.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const way = [...forwarded.map(withoutPort).filter(Boolean), socket.remoteAddress ?? ''];
  return way.at(-1 - trustedProxies) ?? way[0] ?? '';
}

/** Some proxies write down the port as well, which is another one with every connection. */
const withoutPort = (address: string): string => address.trim().replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3');
