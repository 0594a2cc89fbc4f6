import type { IncomingMessage, ServerResponse } from 'node:http';
import { entityTag, matchesTag } from '../../../rest-shim/entity-tag.ts';

const methods = 'GET, HEAD, OPTIONS';

/**
 * Serves a public description of an API: without authentication, to any origin, outside the rate limit. It is generated at the
 * first request, and doesn't change afterwards.
 */
export function createPublicFile(
  type: string,
  make: () => string,
): (request: IncomingMessage, response: ServerResponse) => void {
  let made: { text: string; tag: string } | undefined;
  const file = (): { text: string; tag: string } => {
    const text = make();
    return { text, tag: entityTag(undefined, text) };
  };

  return ({ method = '', headers }, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (method === 'OPTIONS') {
      response.setHeader('Access-Control-Allow-Methods', methods);
      response.setHeader('Access-Control-Allow-Headers', 'If-None-Match');
      response.writeHead(204, { Allow: methods }).end();
      return;
    }
    if (method !== 'GET' && method !== 'HEAD') {
      const body = { message: `This address takes ${methods}.`, request_id: response.getHeader('X-Request-Id') };
      response.writeHead(405, { Allow: methods, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    made ??= file();
    response.setHeader('Access-Control-Expose-Headers', 'ETag, X-Request-Id');
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.setHeader('ETag', made.tag);
    if (matchesTag(headers['if-none-match'], made.tag)) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(made.text) });
    response.end(method === 'HEAD' ? undefined : made.text);
  };
}
