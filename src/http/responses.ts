import type { IncomingMessage, ServerResponse } from 'node:http';
import { idOf } from './request-log.ts';

/** Answers a request, on Node's own objects. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export function setHeaders(response: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

export const answerNotFound: Answer = (_, response) =>
  answerJson(response, 404, { message: 'Not found.', request_id: idOf(response) });

/** Refuses a request without a valid host, which can't be routed. */
export function answerBadHost(response: ServerResponse, message: string): void {
  response.setHeader('Connection', 'close');
  answerJson(response, 400, { message, request_id: idOf(response) });
}

/** `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7). No other method has this target. */
export const answerServerOptions: Answer = (request, response) =>
  request.method === 'OPTIONS' ? response.writeHead(204).end() : answerNotFound(request, response);

/** Whether the service is ready: 200, or 503 with the reason. */
export async function answerReady(response: ServerResponse, unready: () => Promise<string | undefined>): Promise<void> {
  const reason = await unready().catch(() => 'The database does not answer.');
  answerJson(response, reason ? 503 : 200, reason ? { status: 'unready', message: reason } : { status: 'ready' });
}

/** The host in the URL of a Request object, if the request has no `Host`. Nothing reads it. */
export const placeholderHostname = 'localhost';
