import type { IncomingMessage, ServerResponse } from 'node:http';

/** The headers that the description of the API names, and those of every response. */
const exposed =
  'Allow, Content-Disposition, ETag, Kontor-Version, Location, Preference-Applied, Retry-After, Idempotent-Replayed, WWW-Authenticate, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Deprecation, Sunset';

/**
 * Cross-origin access (CORS) for the configured origins, to all APIs. Sets the headers of any response, and responds to
 * preflights.
 * @param open paths that any origin may read, which set headers of their own
 * @returns a function that says whether it has responded
 */
export function createCors(origins: readonly string[], open: Pick<ReadonlySet<string>, 'has'>) {
  return (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
    if (open.has(path)) return false;
    response.appendHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (!origin || !origins.includes(origin)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', exposed);
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
    response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
    response.setHeader(
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Prefer, X-Query-Cost',
    );
    response.setHeader('Access-Control-Max-Age', '600');
    response.writeHead(204).end();
    return true;
  };
}
