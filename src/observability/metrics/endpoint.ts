import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sha256 } from '../../security/idempotency/idempotency.ts';

/** All metrics in Prometheus's format, of this process or of all processes of a cluster. */
export type Exposition = () => Promise<string>;

/**
 * The handler of /metrics: to everybody, or only to requests with the token.
 * @param getToken the token of now, null for everybody
 */
export const createMetricsHandler =
  (expose: Exposition, getToken: () => string | null) =>
  async ({ method, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const token = getToken();
    if (token !== null && !hasToken(headers.authorization, token)) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer', 'Content-Type': 'text/plain' });
      return void response.end('This takes METRICS_TOKEN as Authorization: Bearer.\n');
    }
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    const text = await expose().catch(() => undefined);
    if (text === undefined) return void response.writeHead(500).end();
    response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
    response.end(method === 'HEAD' ? undefined : text);
  };

/** A server for /metrics alone, not yet listening. */
export function createMetricsServer(expose: Exposition): Server {
  const handle = createMetricsHandler(expose, () => null);
  return createServer({ requestTimeout: 10_000 }, (request, response) => {
    if (request.url === '/metrics') void handle(request, response);
    else response.writeHead(404).end();
  });
}

/** Compares hashes, so that the time doesn't depend on the token that was sent. */
const hasToken = (authorization: string | undefined, token: string): boolean =>
  timingSafeEqual(sha256(authorization ?? ''), sha256(`Bearer ${token}`));
