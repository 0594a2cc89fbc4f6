import type { IncomingMessage, ServerResponse } from 'node:http';
import { entityTag, matchesTag } from '../../../rest-shim/entity-tag.ts';
import { chooseCoding, compressors, varyByCoding, type Coding } from './compression.ts';

const methods = 'GET, HEAD, OPTIONS';

interface PublicFile {
  bytes: Buffer;
  tag: string;
}

/**
 * Serves a public description of an API: without authentication, to any origin, outside the rate limit. It is generated at the
 * first request, and doesn't change afterwards.
 */
export function createPublicFile(
  type: string,
  make: () => string,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let made: Buffer | undefined;
  const files = new Map<Coding | undefined, Promise<PublicFile>>();
  const file = async (body: Buffer, coding: Coding | undefined): Promise<PublicFile> => {
    const bytes = coding ? await compressors[coding](body) : body;
    return { bytes, tag: entityTag(undefined, bytes) };
  };

  return async ({ method = '', headers }, response) => {
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
    made ??= Buffer.from(make());
    const coding = chooseCoding(headers['accept-encoding'], type, made);
    let encoded = files.get(coding);
    if (!encoded) files.set(coding, (encoded = file(made, coding)));
    const { bytes, tag } = await encoded;
    varyByCoding(response);
    response.setHeader('Access-Control-Expose-Headers', 'ETag, X-Request-Id');
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.setHeader('ETag', tag);
    if (matchesTag(headers['if-none-match'], tag)) {
      response.writeHead(304).end();
      return;
    }
    if (coding) response.setHeader('Content-Encoding', coding);
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length });
    response.end(method === 'HEAD' ? undefined : bytes);
  };
}
