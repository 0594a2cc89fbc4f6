import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Database } from '../../database/database.ts';
import { getId } from './request-log.ts';

/** Responds to a request, on Node's own objects. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export function respondJson(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

export const respondNotFound: Handler = (_, response) =>
  respondJson(response, 404, { message: 'Not found.', request_id: getId(response) });

/** Refuses a request that can't be routed or read, and closes its connection. */
export function respondBadRequest(response: ServerResponse, message: string): void {
  response.setHeader('Connection', 'close');
  respondJson(response, 400, { message, request_id: getId(response) });
}

/** `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7). No other method has this target. */
export const respondServerOptions: Handler = (request, response) =>
  request.method === 'OPTIONS' ? response.writeHead(204).end() : respondNotFound(request, response);

/**
 * Whether the service is ready: 200, or 503 with the reason. It is also ready, and says so, if it is impaired: if it were not,
 * load balancers would send nobody's requests any more because of some tenants.
 */
export async function respondReady(
  response: ServerResponse,
  { unready, impaired }: Pick<Database, 'unready' | 'impaired'>,
): Promise<void> {
  const reason = await unready().catch(() => 'The database does not answer.');
  if (reason !== undefined) return respondJson(response, 503, { status: 'unready', message: reason });
  const message = await impaired();
  respondJson(response, 200, message === undefined ? { status: 'ready' } : { status: 'impaired', message });
}

/** The host in the URL of a Request object, if the request has no `Host`. Nothing reads it. */
export const placeholderHostname = 'localhost';
