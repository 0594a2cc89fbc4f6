import { ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { isConnectionLost, isContention } from '../../../prisma/client.ts';
import { longestAtOnce, readRequestBytes } from '../../../rest-shim/request-body.ts';
import {
  checkUpload,
  createFindUpload,
  discardUnused,
  storeReceived,
  uploadPath,
  type ReceivedUpload,
} from '../../../rest-shim/upload.ts';
import type { PublicAddress, RestRequestContext, WhileWaiting } from '../../../rest-shim/rest-request.ts';
import { createRouter, toErrorResponse, type RestHandler } from '../../../rest-shim/router.ts';
import { CodedError } from '../../../schema/errors/errors.ts';
import { isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import type { Domain } from '../../domain.ts';
import {
  idempotencyKeyHeader,
  readIdempotencyKey,
  chooseReplayPolicyOfStatus,
  sha256,
  type IdempotencyHandler,
} from '../../security/idempotency/idempotency.ts';
import { readCredentials } from '../auth/credentials.ts';
import type { Admit, AdmittedRequest, Credentials } from '../auth/request-admission.ts';
import type { WaitForTurn } from './body-turns.ts';
import { compressResponse, varyByCoding } from './compression.ts';
import { withDeadline, type Extend } from './deadline.ts';
import { waitWithAccess } from './long-poll.ts';
import type { ReadRetry } from './read-retry.ts';
import { getId, type RequestLog } from './request-log.ts';
import { createUploads } from './upload.ts';
import { placeholderHostname, respondNotFound, type Handler } from './responses.ts';
import type { HttpTimeouts } from './timeouts.ts';

/** How long a body may take to be received and stored, beyond the time of other requests. */
const longestUploadMs = 5 * 60_000;

export interface RestHandlerOptions {
  domain: Domain;
  admit: Admit;
  idempotent: IdempotencyHandler;
  requestLog: RequestLog;
  retry: ReadRetry;
  bodyTurns: WaitForTurn;
  publicAddress: PublicAddress;
  timeouts: HttpTimeouts;
}

/** The response, the signal, and the functions that come with an admitted request. */
export interface Surroundings {
  response: ServerResponse;
  signal: AbortSignal;
  extend: Extend;
  /** Admits the request anew. @throws CodedError if it isn't admitted any more */
  readmit: () => Promise<AdmittedRequest>;
}

/**
 * Responds to a request that was admitted: by REST's own address, or as the call of a tool (../mcp/).
 * @param readKey returns the request's idempotency key, if it has one; throws if it is not valid
 */
export type RestResponder = (
  request: Request,
  readKey: () => string | undefined,
  admitted: AdmittedRequest,
  surroundings: Surroundings,
) => Promise<Response>;

/** Replays a repeated request, and runs any other in the router. */
export function createRestResponder(options: Omit<RestHandlerOptions, 'admit'>): RestResponder {
  const { domain, requestLog, retry, bodyTurns, publicAddress, timeouts } = options;
  const router = createRouter(domain, publicAddress);
  const findUpload = createFindUpload(domain);
  const receiveUpload = createUploads();

  return async (request, readKey, admitted, { response, signal, extend, readmit }) => {
    const { context, requestId, isStillAuthorized, confirmAccess } = admitted;
    const report = (error: unknown): void => requestLog.error(response, error);
    const breakOff = (error: unknown): void => {
      if (!(error instanceof CodedError)) report(error);
      response.destroy();
    };
    const caller = { context, requestId, report, workMs: timeouts.responseMs, isStillAuthorized, breakOff };
    if (request.method === 'GET' || request.method === 'HEAD') {
      const waiting = { access: admitted, signal: request.signal, extend, readmit };
      const whileWaiting: WhileWaiting = (ms, work) => waitWithAccess(waiting, ms, work);
      return read(router, request, { ...caller, whileWaiting }).catch((error: unknown) => {
        const again = (): Promise<Response> => {
          context.responseSize?.restart(); // what an earlier try has read is not part of the response
          return read(router, request, { ...caller, whileWaiting });
        };
        return retry.after(error, again, signal);
      });
    }
    const { pathname } = new URL(request.url);
    const uploading = uploadPath.test(pathname) ? findUpload(request.method, canonicalPath(pathname)) : undefined;
    if (uploading) {
      const key = readKey();
      const { method } = request;
      const isRepeated = async (): Promise<boolean> =>
        key !== undefined && options.idempotent.wasHandled({ method, path: canonicalPath(pathname), key }, context);
      await checkUpload(uploading, request, context, isRepeated);
      extend(longestUploadMs);
      const upload = await receiveUpload(context.tenant.holder, request.body ?? noBody(), uploading.maxBytes);
      try {
        await confirmAccess();
        await storeReceived(uploading, context, upload, isRepeated);
        const received = { ...caller, upload };
        const answer = await (key === undefined
          ? router(withoutBody(request), received)
          : uploadOnce(router, options, key, request, received));
        await discardUnused(context, upload, answer);
        return answer;
      } finally {
        await upload.discard();
      }
    }
    let keyed: KeyedBody | undefined;
    try {
      const key = readKey();
      keyed = key === undefined ? undefined : { key, body: await readRequestBytes(request) };
    } catch (refusal) {
      return router(withoutBody(request), { ...caller, refusal });
    }
    if (keyed) {
      await confirmAccess();
      return writeOnce(router, options, keyed, request, caller);
    }
    const beforeParsing = async (length: number): Promise<void> => {
      await confirmAccess();
      if (length > longestAtOnce) await bodyTurns(context, length);
    };
    return router(request, { ...caller, beforeParsing });
  };
}

/** REST v1 over HTTP: admits a request, and responds to it. */
export function createRestHandler(
  respondAdmitted: RestResponder,
  {
    admit,
    requestLog,
    publicAddress,
    timeouts,
  }: Pick<RestHandlerOptions, 'admit' | 'requestLog' | 'publicAddress' | 'timeouts'>,
): Handler {
  const listener = getRequestListener(
    (request, { outgoing: response }) => {
      if (!(response instanceof ServerResponse)) throw new Error('This is no server of HTTP/1.1');
      return withDeadline(timeouts.responseMs, response, async (signal, extend) => {
        const credentials = readRestCredentials(request, response, publicAddress.url);
        const apiRequest = { response, credentials, signal };
        const readmit = (): Promise<AdmittedRequest> => admit(apiRequest);
        const admitted = await admit(apiRequest);
        const readKey = (): string | undefined =>
          request.headers.has(idempotencyKeyHeader) ? readIdempotencyKey(response.req) : undefined;
        const whole = await respondAdmitted(request, readKey, admitted, { response, signal, extend, readmit });
        // A single resource is short, and its strong entity tag is of these bytes.
        if (whole.headers.has('etag')) return whole;
        varyByCoding(response);
        return compressResponse(whole, request.method === 'HEAD' ? null : request.headers.get('accept-encoding'));
      }).catch((error: unknown) =>
        toErrorResponse(error, request, {
          requestId: getId(response),
          report: (err) => requestLog.error(response, err),
        }),
      );
    },
    { hostname: placeholderHostname, errorHandler: () => {} },
  );
  return async (request, response) => {
    await listener(request, response);
    if (!response.headersSent) respondNotFound(request, response); // its path isn't valid in a URL
  };
}

/** Files that our pages show or save: they have no token, and GraphQL can't stream them. */
const fileOfPage = /\/((receipts\/[^/]+\/attachments|exports)\/[^/]+\/file|bulk-operations\/[^/]+\/results)\/*$/;

/** A token; a session's cookie only for a file of our pages. A link to one can't send `X-Tenant`: `tenant` is in its query. */
function readRestCredentials(
  { method, url, headers }: Request,
  { req }: ServerResponse,
  publicUrl: string,
): Credentials {
  const { pathname, searchParams } = new URL(url);
  const isFile = (method === 'GET' || method === 'HEAD') && fileOfPage.test(pathname);
  if (!isFile) return { authorization: headers.get('authorization') };
  const { authorization, session } = readCredentials(req, publicUrl);
  return {
    authorization,
    ...(session && { session: { ...session, tenantId: session.tenantId ?? searchParams.get('tenant') } }),
  };
}

/** Runs a read. @throws the error of a lost connection, so that it can be tried again */
async function read(router: RestHandler, request: Request, caller: RestRequestContext): Promise<Response> {
  let failure: { error: unknown } | undefined;
  const response = await router(request, { ...caller, report: (error) => (failure = { error }) });
  if (failure && isConnectionLost(failure.error)) throw failure.error;
  if (failure) caller.report(failure.error);
  return response;
}

/** An idempotency key, and the body that it was sent with. */
interface KeyedBody {
  key: string;
  body: Uint8Array<ArrayBuffer>;
}

/** Runs a write with an idempotency key, or replays its response. */
async function writeOnce(
  router: RestHandler,
  { idempotent, bodyTurns }: Pick<RestHandlerOptions, 'idempotent' | 'bodyTurns'>,
  { key, body }: KeyedBody,
  request: Request,
  { context, ...caller }: RestRequestContext,
): Promise<Response> {
  // Within the transaction, nothing waits.
  await bodyTurns(context, body.length);
  const { url, method, headers } = request;
  const path = canonicalPath(new URL(url).pathname);
  return idempotent({ method, path, key, body: sha256(body), requestId: caller.requestId }, context, {
    handle: (inside) =>
      router(new Request(url, { method, headers, body }), {
        ...caller,
        context: inside,
        // Contention is retried, and reported only if no retry succeeds.
        report: (error) => (isContention(error) ? undefined : caller.report(error)),
      }),
    replayPolicyOf: chooseReplayPolicyOfStatus,
  });
}

/** The same request, whose body was received. */
const withoutBody = ({ url, method, headers }: Pick<Request, 'url' | 'method' | 'headers'>): Request =>
  new Request(url, { method, headers });

async function* noBody(): AsyncGenerator<Uint8Array> {}

/** Starts what a long body is about, once for each idempotency key. The parameters are as much of the request as the body. */
function uploadOnce(
  router: RestHandler,
  { idempotent }: Pick<RestHandlerOptions, 'idempotent'>,
  key: string,
  { url, method, headers }: Request,
  { context, upload, ...caller }: RestRequestContext & { upload: ReceivedUpload },
): Promise<Response> {
  const { pathname, searchParams } = new URL(url);
  searchParams.sort();
  const body = sha256(`${searchParams} ${Buffer.from(upload.hash).toString('hex')}`);
  return idempotent({ method, path: canonicalPath(pathname), key, body, requestId: caller.requestId }, context, {
    handle: (inside) =>
      router(withoutBody({ url, method, headers }), {
        ...caller,
        context: inside,
        upload,
        report: (error) => (isContention(error) ? undefined : caller.report(error)),
      }),
    replayPolicyOf: chooseReplayPolicyOfStatus,
    limits: { timeout: longestUploadMs },
  });
}

/** One path for each resource: the router also takes slashes at the end, and ids in capitals. */
function canonicalPath(pathname: string): string {
  // The run of slashes is tried once, not from each of its slashes.
  const segments = pathname.replace(/(?<!\/)\/+$/, '').split('/');
  return segments.map((segment) => (isUuid(segment) ? segment.toLowerCase() : segment)).join('/');
}
