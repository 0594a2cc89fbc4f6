import { ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isTextTooWide, parseJson } from '../../../rest-shim/exact-json.ts';
import type { Values } from '../../../rest-shim/operation.ts';
import { compressed, longestAtOnce, readRequestBytes, TransportError } from '../../../rest-shim/request-body.ts';
import { toGraphqlError } from '../graphql/error-response.ts';
import type { Admit, AdmittedRequest } from '../auth/request-admission.ts';
import type { WaitForTurn } from '../http/body-turns.ts';
import { compressResponse, varyByCoding } from '../http/compression.ts';
import { withDeadline, type Extend } from '../http/deadline.ts';
import { getId } from '../http/request-log.ts';
import { placeholderHostname, respondNotFound, type Handler } from '../http/responses.ts';
import type { HttpTimeouts } from '../http/timeouts.ts';
import type { McpCall } from './call-tool.ts';
import { createMcpServer, type McpServerOptions } from './server.ts';

export interface McpHttpOptions extends McpServerOptions {
  admit: Admit;
  bodyTurns: WaitForTurn;
  corsOrigins: readonly string[];
  timeouts: HttpTimeouts;
}

const allow = 'POST, OPTIONS';

/**
 * The Model Context Protocol over HTTP, without sessions or streams: each POST is one message, admitted and counted as a request to
 * REST is, and answered as JSON. Clients of the protocol's revisions before 2026-07-28 are served as well.
 */
export function createMcpHttpHandler(options: McpHttpOptions): Handler {
  const { admit, requestLog, bodyTurns, corsOrigins, publicAddress, timeouts } = options;
  const calls = new WeakMap<Request, McpCall>();
  const current = createMcpHandler(
    ({ requestInfo }) => {
      const call = requestInfo && calls.get(requestInfo);
      if (!call) throw new Error('A message without its request');
      return createMcpServer(call, options);
    },
    { legacy: 'reject' },
  );

  const respond = async (request: Request, response: ServerResponse, signal: AbortSignal, extend: Extend) => {
    const apiRequest = { response, credentials: { authorization: request.headers.get('authorization') }, signal };
    const readmit = (): Promise<AdmittedRequest> => admit(apiRequest);
    const admitted = await readmit();
    const { message, args, method } = await readMessage(request, admitted, bodyTurns);
    const call = { admitted, args, response, signal, extend, readmit, left: request.signal };
    // It would be a stream, which this service has for GraphQL.
    if (method === 'subscriptions/listen') return refuse(404, -32601, 'Method not found', { id: readId(message) });
    const isEarlier = await isLegacyRequest(request, message);
    if (!isEarlier) calls.set(request, call);
    const answer = isEarlier
      ? await respondToEarlier(request, message, call, options)
      : await current.fetch(request, { parsedBody: message });
    const text = await answer.text();
    if (method !== 'tools/call') admitted.context.responseSize?.complete(Buffer.byteLength(text));
    if (answer.status >= 500) requestLog.error(response, new Error(`MCP: ${text.slice(0, 500)}`));
    const whole = new Response(text === '' ? null : text, { status: answer.status, headers: answer.headers });
    return text === '' ? whole : compressResponse(whole, request.headers.get('accept-encoding'));
  };

  const listener = getRequestListener(
    (request, { outgoing: response }) => {
      if (!(response instanceof ServerResponse)) throw new Error('This is no server of HTTP/1.1');
      if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
      if (request.method !== 'POST')
        return refuse(405, -32000, `This address takes ${allow}.`, { headers: { Allow: allow } });
      const origin = request.headers.get('origin');
      if (origin !== null && !isOurs(origin, publicAddress.url) && !corsOrigins.includes(origin))
        return refuse(403, -32000, 'This Origin may not call.');
      varyByCoding(response);
      return withDeadline(timeouts.responseMs, response, (signal, extend) =>
        respond(request, response, signal, extend),
      ).catch((error: unknown) => {
        const { status, code, message, retryAfter } = toGraphqlError(error);
        if (status >= 500) requestLog.error(response, error);
        const data = { code, request_id: getId(response) };
        return refuse(status, -32000, message, {
          data: { ...data, ...(retryAfter !== undefined && { retry_after: retryAfter }) },
          ...(retryAfter !== undefined && { headers: { 'Retry-After': String(retryAfter) } }),
        });
      });
    },
    { hostname: placeholderHostname, errorHandler: () => {} },
  );
  return async (request, response) => {
    await listener(request, response);
    if (!response.headersSent) respondNotFound(request, response);
  };
}

/** DNS rebinding gives a page of another site our address, but not our name: so the name counts, and not `Host`. */
const isOurs = (origin: string, publicUrl: string): boolean => origin === new URL(publicUrl).origin;

interface Message {
  message: unknown;
  method: unknown;
  args: Values;
}

/** Reads a message. Several at once are refused, as the protocol has no batches any more: all would count as one request. */
async function readMessage(
  request: Request,
  { context, confirmAccess }: AdmittedRequest,
  bodyTurns: WaitForTurn,
): Promise<Message> {
  if (request.headers.has('content-encoding')) throw compressed();
  const bytes = await readRequestBytes(request);
  await confirmAccess();
  if (bytes.length > longestAtOnce) await bodyTurns(context, bytes.length);
  if (isTextTooWide(bytes)) throw new TransportError(413, 'The message has too many values.');
  let message: unknown;
  let exact: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    message = JSON.parse(text);
    exact = isCall(message) ? parseJson(text) : undefined;
    JSON.stringify(message); // it is nested too deeply if this fails
  } catch {
    throw new TransportError(400, 'The message is no JSON in UTF-8, or is nested too deeply.');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new TransportError(400, 'Send one JSON-RPC message in each request.');
  const { arguments: args } = (exact as { params?: { arguments?: unknown } } | undefined)?.params ?? {};
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
  return { message, method: (message as { method?: unknown }).method, args: isObject ? { ...args } : {} };
}

const isCall = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call';

function readId(message: unknown): string | number | null {
  const { id } = message as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

async function respondToEarlier(
  request: Request,
  message: unknown,
  call: McpCall,
  options: McpServerOptions,
): Promise<Response> {
  const server = createMcpServer(call, options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

interface Refusal {
  id?: string | number | null;
  headers?: Record<string, string>;
  data?: object;
}

function refuse(status: number, code: number, message: string, { id = null, headers, data }: Refusal = {}): Response {
  const error = { code, message, ...(data && { data }) };
  return Response.json({ jsonrpc: '2.0', id, error }, { status, ...(headers && { headers }) });
}
