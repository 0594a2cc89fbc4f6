import type { ServerResponse } from 'node:http';
import { TransportError } from '../../../rest-shim/request-body.ts';
import { statusByCode } from '../../../rest-shim/router.ts';
import { asCoded, type ErrorCode } from '../../../schema/errors/errors.ts';

/** The error of a GraphQL request that is refused as a whole, with its HTTP status. */
export interface GraphqlErrorResponse {
  status: number;
  code: ErrorCode | 'BAD_REQUEST';
  message: string;
  retryAfter?: number;
  errors?: object;
}

export function sendGraphqlError(
  response: ServerResponse,
  { status, message, ...extensions }: GraphqlErrorResponse,
  requestId: string,
): void {
  response.statusCode = status;
  if (extensions.retryAfter !== undefined) response.setHeader('Retry-After', extensions.retryAfter);
  const body = { errors: [{ message, extensions: { ...extensions, requestId } }] };
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

/** The message of a coded error; any other error is an error of the service. */
export function toGraphqlError(error: unknown): GraphqlErrorResponse {
  if (error instanceof TransportError) return { status: error.status, code: 'BAD_REQUEST', message: error.message };
  const coded = asCoded(error);
  if (!coded) return { status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'Internal error.' };
  const { code, ...extensions } = coded.extensions as { code: ErrorCode };
  return { status: statusByCode[code], code, message: coded.message, ...extensions };
}

/** Whether a response with errors has data beside them. Where only look-ups were asked for that failed, each of them is null. */
export const hasData = (data: object | null | undefined): boolean =>
  Object.values(data ?? {}).some((value) => value !== null);
