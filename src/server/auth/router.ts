import type { IncomingMessage } from 'node:http';
import { Router, type IRequest } from 'itty-router';
import type { z } from 'zod';
import { readBody } from '../../../rest-shim/request-body.ts';
import { toErrorResponse, errorResponse } from '../../../rest-shim/router.ts';
import { CodedError, NotFoundError, Problems, ValidationError, type Problem } from '../../../schema/errors/errors.ts';
import { toProblem } from '../../../schema/graphql/input/issues.ts';
import { mayBeCsrf } from './csrf.ts';
import type { PublicAddress } from '../../../rest-shim/rest-request.ts';

/** The context of one request. */
export interface AuthRequestContext {
  incoming: IncomingMessage;
  /** The client's address, as the trusted proxies report it. */
  address: string;
  requestId: string;
  report: (error: unknown) => void;
  /** Logs the outcome of a sign-in (OWASP ASVS 4.0.3, 7.1.3), without the input, which may be a password. */
  logOutcome: (outcome: 'entered' | 'rejected' | 'throttled', userId?: string) => void;
}

export type Handler = (request: Request, caller: AuthRequestContext) => Promise<Response>;
export type AuthHandler = Handler;

const base = '/api/auth';

/** The longest body, in bytes: nobody has been admitted who sends it. */
const maxBytes = 64 * 1024;

/** Routes under /api/auth, for our own pages only. Errors have REST's format. */
export function serve(
  routes: [method: 'GET' | 'POST', path: string, handler: Handler][],
  publicAddress: PublicAddress,
): AuthHandler {
  const router = Router<IRequest, [AuthRequestContext]>({ base, catch: toErrorResponse });
  for (const [method, path, handler] of routes) {
    router[method.toLowerCase() as 'get'](path, (request: IRequest, caller: AuthRequestContext) =>
      mayBeCsrf(method, caller.incoming.headers, publicAddress.url)
        ? errorResponse(403, 'This is only for requests from our own pages.', caller.requestId)
        : handler(request as unknown as Request, caller),
    );
    router.all(path, (_request, { requestId }) =>
      errorResponse(405, `This address takes ${method}.`, requestId, { headers: { Allow: method } }),
    );
  }
  return async (request, caller) =>
    ((await router.fetch(request as IRequest, caller)) as Response | undefined) ??
    toErrorResponse(new NotFoundError(), request, caller);
}

export const respond = (body: unknown, { status = 200, cookie }: { status?: number; cookie?: string } = {}): Response =>
  Response.json(body, { status, ...(cookie !== undefined && { headers: { 'Set-Cookie': cookie } }) });

/** The body, which must be an object. @throws ValidationError, TransportError */
export async function parseBody(request: Request): Promise<object | undefined> {
  const problems = new Problems();
  const body = await readBody(request, problems, { maxBytes });
  problems.throwIfAny();
  return body;
}

const missing = 'Required.';

/** Parses a body with `schema`. @throws ValidationError */
export function parsed<T>(body: object | undefined, schema: z.ZodType<T>): T {
  const result = schema.safeParse(body, {
    error: ({ input }) => (input === undefined ? missing : 'Must be a string.'),
  });
  if (result.success) return result.data;
  const problems = new Problems();
  for (const issue of result.error.issues) {
    const problem: Problem = issue.message === missing ? ['required', missing] : toProblem(issue);
    problems.add(issue.path.join('.'), ...problem);
  }
  throw new ValidationError(problems.byField);
}

/** Refuses an attempt beyond the limit. @param retryAfter seconds to wait */
export function throttled(retryAfter: number): never {
  const minutes = Math.ceil(retryAfter / 60);
  const message = `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  throw new CodedError('RATE_LIMITED', message, { retryAfter });
}
