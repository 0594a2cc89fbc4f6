import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { maxBodyBytes, readStreamBytes, tooLong, TransportError } from '../../../rest-shim/request-body.ts';
import type { AdmittedRequest } from '../auth/request-admission.ts';
import type { WaitForTurn } from '../http/body-turns.ts';
import { isForm } from '../http/multipart.ts';
import { CodedError } from '../../../schema/errors/errors.ts';
import { toGraphqlError } from './error-response.ts';

/** The part of a request that was read before Yoga gets it. */
export interface Read {
  /** A body of JSON, if one was sent that can be parsed. Rejects with a GraphQLError. */
  body?: Promise<{ bytes: Buffer<ArrayBuffer>; json: unknown }>;
}

type Admitted = Pick<AdmittedRequest, 'context' | 'confirmAccess'>;

/** Starts to read the body, if it is JSON. */
export function readJson(request: IncomingMessage, admitted: Admitted, bodyTurns: WaitForTurn): Read['body'] {
  const { method, headers } = request;
  if (method !== 'POST' || !/^application\/json(;|$)/.test(headers['content-type'] ?? '')) return undefined;
  return readInTurn(request, admitted, bodyTurns).then((bytes) => ({ bytes, json: parsed(bytes.toString()) }));
}

/** Refuses bytes that Yoga would replace by U+FFFD, and so would be stored wrongly. @throws TransportError */
export function refuseOtherText(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new TransportError(400, 'The body must be UTF-8.');
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
 * Reports parameters that can't be parsed, which Yoga takes for internal errors.
 */
export function useBody(bodyTurns: WaitForTurn): Plugin<object, Read> {
  return {
    onRequestParse: ({ request, serverContext, fetchAPI, requestParser, setRequestParser }) => {
      // Otherwise the body was read before: idempotent-graphql.ts.
      const { req, body, ...admitted } = serverContext as unknown as Read & Admitted & { req?: IncomingMessage };
      const { url, method, headers } = request;
      if (isForm(headers.get('content-type') ?? undefined)) return;
      const parseParameters = requestParser ?? refuseType;
      setRequestParser(async () => {
        if (!req || !requestParser || method !== 'POST') return withReport(() => parseParameters(request));
        const { bytes, json } = (await body) ?? { bytes: await readInTurn(req, admitted, bodyTurns) };
        if (typeof json === 'object' && json !== null) return json as GraphQLParams;
        return withReport(() => requestParser(new fetchAPI.Request(url, { method, headers, body: bytes })));
      });
    },
  };
}

const badRequest = (message: string, status: number): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } });

function refuseType(): never {
  throw badRequest('The body must be application/json, in UTF-8.', 415);
}

/** @throws GraphQLError for the JSON in a query string or a form */
async function withReport<Result>(parseParameters: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await parseParameters();
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest('The variables and extensions must be JSON.', 400) : error;
  }
}

async function readInTurn(
  incoming: IncomingMessage,
  { context, confirmAccess }: Admitted,
  bodyTurns: WaitForTurn,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = await read(incoming);
  await confirmAccess().catch(asRefusal);
  await bodyTurns(context, bytes.length);
  return bytes;
}

/** Yoga would answer 200 to an error without a status. */
function asRefusal(error: unknown): never {
  if (!(error instanceof CodedError)) throw error;
  const { status, message, ...extensions } = toGraphqlError(error);
  throw new GraphQLError(message, { extensions: { ...extensions, http: { status } } });
}

/** @throws GraphQLError */
async function read(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  try {
    if (Number(incoming.headers['content-length']) > maxBodyBytes) throw tooLong();
    const bytes = await readStreamBytes(incoming.iterator({ destroyOnReturn: false }));
    refuseOtherText(bytes);
    return bytes;
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { status, message } = error;
    const code = status === 413 ? 'REQUEST_ENTITY_TOO_LARGE' : 'BAD_REQUEST';
    throw new GraphQLError(message, { extensions: { code, http: { status } } });
  }
}
