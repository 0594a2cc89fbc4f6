import { base } from './base.ts';
import { Router, type IRequestStrict } from 'itty-router';
import { asCoded, NotFoundError, TryLaterError, ValidationError, type ErrorCode } from '../schema/errors/errors.ts';
import { TransportError } from './request-body.ts';
import { PreconditionFailedError } from './resource-response.ts';
import type { PublicAddress, RestRequestContext } from './rest-request.ts';
import { batchEndpoint } from './batch.ts';
import { endpoint, type CompiledSchema } from './endpoint.ts';
import { uploadEndpoint } from './upload.ts';
import { routes as allRoutes, type Route } from './routes.ts';

export type RestHandler = (request: Request, caller: RestRequestContext) => Promise<Response>;

/** The HTTP statuses of the domain's error codes. Only this table maps them. */
export const statusByCode: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CURSOR_EXPIRED: 410,
  VALIDATION_FAILED: 422,
  VERSION_CONFLICT: 412,
  ANSWER_TOO_LARGE: 422,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

/** An error as REST answers it: `{"message", "errors"?, "request_id"}`. */
export function errorResponse(
  status: number,
  message: string,
  requestId: string,
  { headers, fields }: { headers?: Record<string, string>; fields?: object } = {},
): Response {
  const body = { message, ...fields, request_id: requestId };
  return Response.json(body, { status, ...(headers && { headers }) });
}

/**
 * REST v1 over the domain.
 * @param publicAddress used in links
 */
export function createRouter(domain: CompiledSchema, publicAddress: PublicAddress, routes = allRoutes): RestHandler {
  const router = Router<IRequestStrict, [RestRequestContext]>({ catch: toErrorResponse });
  // Path by path: `/customers/:id` must not take a method that `/customers/batch` refuses.
  for (const [path, rows] of Map.groupBy(routes, (route) => route[1])) {
    const [resource = path] = /^.*\/:id/.exec(path.replace(/\/batch$/, '/:id')) ?? [];
    const reading = routes.find(([other, at]) => other === 'GET' && at === resource)?.[2];
    const options = { base, publicAddress, lookupOperation: reading };
    for (const route of rows) {
      const [method, , , kind] = route;
      const handle =
        kind === 'batch'
          ? batchEndpoint(route, domain, { ...options, toErrorResponse })
          : kind === 'upload' || kind === 'upload-file'
            ? uploadEndpoint(route, domain, options)
            : endpoint(route, domain, options);
      router[method.toLowerCase() as 'get'](base + path, handle);
      if (method === 'GET') router['head']?.(base + path, handle);
    }
    const allow = allowedMethods(routes, path);
    router['options']?.(base + path, () => new Response(null, { status: 204, headers: { Allow: allow } }));
    router.all(base + path, (_request, { requestId }) =>
      errorResponse(405, `This address takes ${allow}.`, requestId, { headers: { Allow: allow } }),
    );
  }
  // Without the base: dots in a path may lead out of it.
  router.all('*', () => {
    throw new NotFoundError();
  });
  return router.fetch as RestHandler;
}

function allowedMethods(routes: readonly Route[], path: string): string {
  const methods = routes.filter((route) => route[1] === path).map(([method]) => method);
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

type Reporter = Pick<RestRequestContext, 'requestId' | 'report'>;

/** The response to any error. An error that isn't a CodedError is logged, and answered as a bare 500. */
export function toErrorResponse(error: unknown, _request: unknown, { requestId, report }: Reporter): Response {
  if (error instanceof TransportError) return errorResponse(error.status, error.message, requestId);
  if (error instanceof PreconditionFailedError) {
    const head = JSON.stringify({ message: error.message, request_id: requestId });
    const headers = { 'content-type': 'application/json', ETag: error.tag };
    return new Response(`${head.slice(0, -1)},"data":${error.data}}`, { status: 412, headers });
  }
  const coded = asCoded(error);
  if (!coded) {
    report(error);
    return errorResponse(500, 'Internal error. It is logged under the request_id.', requestId);
  }
  if (coded instanceof TryLaterError && coded !== error) report(error);
  const { code, retryAfter } = coded.extensions as { code: ErrorCode; retryAfter?: number };
  return errorResponse(statusByCode[code], coded.message, requestId, {
    ...(coded instanceof ValidationError && { fields: { errors: coded.errors, details: coded.details } }),
    ...(retryAfter !== undefined && { headers: { 'Retry-After': String(retryAfter) } }),
  });
}
