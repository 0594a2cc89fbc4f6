import type { IncomingMessage, ServerResponse } from 'node:http';
import { importLimits } from '../../../schema/bank-statements/import-statement.ts';
import { readCredentials } from '../auth/credentials.ts';
import type { Admit } from '../auth/request-admission.ts';
import type { WaitForTurn } from '../http/body-turns.ts';
import { compressResponse, varyByCoding } from '../http/compression.ts';
import { withDeadline } from '../http/deadline.ts';
import { isForm } from '../http/multipart.ts';
import { getId, type RequestLog } from '../http/request-log.ts';
import type { Handler } from '../http/responses.ts';
import { sendWhole } from '../http/send-whole.ts';
import { readIdempotencyKey, type IdempotencyHandler } from '../../security/idempotency/idempotency.ts';
import { handleIdempotentGraphql } from './idempotent-graphql.ts';
import { sendGraphqlError, toGraphqlError } from './error-response.ts';
import type { GraphqlHandler } from './handler.ts';
import { checkMediaTypes, normalizeType } from './media-types.ts';
import type { HttpTimeouts } from '../http/timeouts.ts';
import type { PublicAddress } from '../../../rest-shim/rest-request.ts';

export interface GraphqlHttpOptions {
  graphqlHandler: GraphqlHandler;
  admit: Admit;
  idempotent: IdempotencyHandler;
  requestLog: RequestLog;
  publicAddress: PublicAddress;
  /** Responds to a browser with GraphiQL. @returns whether it did */
  respondGraphiql: (request: IncomingMessage, response: ServerResponse) => boolean;
  bodyTurns: WaitForTurn;
  timeouts: HttpTimeouts;
}

/** GraphQL over HTTP: admits a request, replays a repeated one, and executes any other. */
export function createGraphqlHttpHandler({
  graphqlHandler,
  admit,
  idempotent,
  requestLog,
  publicAddress,
  respondGraphiql,
  bodyTurns,
  timeouts,
}: GraphqlHttpOptions): Handler {
  const respond = async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> => {
    const credentials = readCredentials(request, publicAddress.url);
    const admitted = await admit({ response, credentials, signal });
    varyByCoding(response);
    // A session's responses aren't compressed (compression.ts).
    const acceptEncoding = credentials.session ? undefined : request.headers['accept-encoding'];
    // An import reads much.
    checkMediaTypes(request);
    admitted.context.responseSize?.limit({ reads: !isForm(request.headers['content-type']), values: true });
    const key = readIdempotencyKey(request);
    if (key === undefined) return graphqlHandler.handle(request, response, { ...admitted, acceptEncoding });
    const keyed = { key, bodyTurns, ...admitted };
    const handled = await handleIdempotentGraphql(graphqlHandler, idempotent, request, keyed);
    return sendWhole(response, await compressResponse(handled, acceptEncoding));
  };
  return async (request, response) => {
    normalizeType(request);
    if (wantsGraphiql(request) && respondGraphiql(request, response)) return;
    const isImport = isForm(request.headers['content-type']);
    const mayTakeMs = isImport ? importLimits.timeout : timeouts.responseMs;
    try {
      await withDeadline(mayTakeMs, response, (signal) => respond(request, response, signal), {
        endsWithClient: isImport,
      });
    } catch (error) {
      const refusal = toGraphqlError(error);
      if (refusal.status >= 500) requestLog.error(response, error);
      sendGraphqlError(response, refusal, getId(response));
    }
  };
}

/** A browser that opens the address gets GraphiQL, whose own requests need a token or a session. */
function wantsGraphiql({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html');
}
