import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { maxBodyBytes, readStreamBytes, tooLong, TransportError } from '../../../rest-shim/request-body.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import type { WaitForTurn } from '../http/body-turns.ts';
import { isForm } from '../http/multipart.ts';

/** The part of a request that was read before Yoga gets it. */
export interface Read {
  /** A body of JSON, if one was sent that can be parsed. Rejects with a GraphQLError. */
  body?: Promise<{ bytes: Buffer<ArrayBuffer>; json: unknown }>;
}

/** Starts to read the body, if it is JSON. */
export function readJson(request: IncomingMessage, context: Context, bodyTurns: WaitForTurn): Read['body'] {
  const { method, headers } = request;
  if (method !== 'POST' || !/^application\/json(;|$)/.test(headers['content-type'] ?? '')) return undefined;
  return readInTurn(request, context, bodyTurns).then((bytes) => ({ bytes, json: parsed(bytes.toString()) }));
}

/** Undefined for invalid JSON, which Yoga reports. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a body up to the limit, before Yoga parses it. Yoga's own limit would use web streams, which take more CPU time.
 */
export function useBody(bodyTurns: WaitForTurn): Plugin<object, Read> {
  return {
    onRequestParse: ({ request, serverContext, fetchAPI, requestParser, setRequestParser }) => {
      // Otherwise the body was read before: idempotent-graphql.ts.
      const { req, body, context } = serverContext as unknown as Read & { req?: IncomingMessage; context: Context };
      if (!req || !requestParser || request.method !== 'POST' || isForm(req.headers['content-type'])) return;
      setRequestParser(async () => {
        const { bytes, json } = (await body) ?? { bytes: await readInTurn(req, context, bodyTurns) };
        if (typeof json === 'object' && json !== null) return json as GraphQLParams;
        const { url, method, headers } = request;
        return requestParser(new fetchAPI.Request(url, { method, headers, body: bytes }));
      });
    },
  };
}

async function readInTurn(
  incoming: IncomingMessage,
  context: Context,
  bodyTurns: WaitForTurn,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = await read(incoming);
  await bodyTurns(context, bytes.length);
  return bytes;
}

/** @throws GraphQLError */
async function read(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  try {
    if (Number(incoming.headers['content-length']) > maxBodyBytes) throw tooLong();
    return await readStreamBytes(incoming.iterator({ destroyOnReturn: false }));
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { status, message } = error;
    const code = status === 413 ? 'REQUEST_ENTITY_TOO_LARGE' : 'BAD_REQUEST';
    throw new GraphQLError(message, { extensions: { code, http: { status } } });
  }
}
