import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { maxBody, readBytes, tooLong, TransportError } from '../../rest-shim/body.ts';
import { isForm } from '../http/multipart.ts';

/**
 * Reads a body, as far as one may be long, before Yoga parses it. Yoga's own limit leads it through a pipe of web
 * streams: a query by id then costs 1.5 times as much, the database left out.
 */
export function useBody(): Plugin {
  return {
    onRequestParse: ({ request, serverContext, fetchAPI, requestParser, setRequestParser }) => {
      // Without it, what is asked was read before: keyed-graphql.ts.
      const { req } = serverContext as unknown as { req?: IncomingMessage };
      if (!req || !requestParser || request.method !== 'POST' || isForm(req.headers['content-type'])) return;
      setRequestParser(async () => {
        const body = await read(req);
        const { url, method, headers } = request;
        return requestParser(new fetchAPI.Request(url, { method, headers, body }));
      });
    },
  };
}

/** @throws GraphQLError */
async function read(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  try {
    if (Number(incoming.headers['content-length']) > maxBody) throw tooLong();
    return await readBytes(incoming.iterator({ destroyOnReturn: false }));
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { status, message } = error;
    const code = status === 413 ? 'REQUEST_ENTITY_TOO_LARGE' : 'BAD_REQUEST';
    throw new GraphQLError(message, { extensions: { code, http: { status } } });
  }
}
