import type { IncomingMessage } from 'node:http';
import { Router, type IRequest } from 'itty-router';
import { z } from 'zod';
import type { UnscopedClient } from '../prisma/client.ts';
import { readBody } from '../rest-shim/body.ts';
import { answerError, errorResponse, otherwiseNotFound } from '../rest-shim/router.ts';
import { CodedError, Problems } from '../schema/errors.ts';
import { email } from '../schema/input.ts';
import { formatTime } from '../schema/scalars.ts';
import { sessionCookie, sessionToken } from './cookie.ts';
import { mayBeForged } from './forgery.ts';
import { endSessions, findSession, lifetimeMs, startSession, type TryPassword } from './identity/index.ts';

/** One request's surroundings. */
export interface Caller {
  incoming: IncomingMessage;
  /** Where the client is, as the proxies we trust say. */
  address: string;
  requestId: string;
  report: (fault: unknown) => void;
}

export type AuthDoor = (request: Request, caller: Caller) => Promise<Response>;

type Handler = (request: Request, caller: Caller) => Promise<Response>;

const base = '/api/auth';

/**
 * Sessions for people: sign in and out. JSON in and out; errors as REST answers them. The addresses and what they
 * take are better-auth's, as far as they go.
 *
 * | | takes | answers |
 * |---|---|---|
 * | `POST /sign-in/email` | `email`, `password` | `{user, session}` and the cookie; 401; 429 with `Retry-After` |
 * | `GET /get-session` | | `{user: {id, name, email}, session: {id, createdAt, expiresAt}}`, or `null` |
 * | `POST /sign-out` | | `{success: true}`; the session has ended |
 * | `POST /revoke-sessions` | | the same, for all of the user's sessions |
 */
export function createAuthDoor({
  client,
  tryPassword,
  publicUrl,
  now,
}: {
  client: UnscopedClient;
  tryPassword: TryPassword;
  publicUrl: () => string;
  now: () => Date;
}): AuthDoor {
  const current = (request: Request) =>
    findSession(client, sessionToken(request.headers.get('cookie'), publicUrl()), now());

  const signIn: Handler = async (request, { address }) => {
    const input = await read(request, z.object({ email, password: z.string().max(1024) }));
    const attempt = await tryPassword({ ...input, address });
    if (attempt.kind === 'throttled') throw new ThrottledError(attempt.retryAfter);
    if (attempt.kind === 'rejected') {
      throw new CodedError('UNAUTHENTICATED', 'The e-mail address or the password is not right.');
    }
    const { user } = attempt;
    const previous = await current(request);
    if (previous) await endSessions(client, { userId: previous.user.id, id: previous.id });
    const userAgent = request.headers.get('user-agent');
    const { token, session } = await startSession(client, { userId: user.id, userAgent, now: now() });
    return answer({ user, session: shown(session) }, sessionCookie(token, publicUrl()));
  };

  const getSession: Handler = async (request) => {
    const session = await current(request);
    return answer(session && { user: session.user, session: shown(session) });
  };

  const signOut =
    (everywhere: boolean): Handler =>
    async (request) => {
      const session = await current(request);
      if (session) await endSessions(client, { userId: session.user.id, ...(!everywhere && { id: session.id }) });
      return answer({ success: true }, sessionCookie(null, publicUrl()));
    };

  const routes: [method: 'GET' | 'POST', path: string, handler: Handler][] = [
    ['POST', '/sign-in/email', signIn],
    ['GET', '/get-session', getSession],
    ['POST', '/sign-out', signOut(false)],
    ['POST', '/revoke-sessions', signOut(true)],
  ];

  const router = Router<IRequest, [Caller]>({ base, catch: answerFault, finally: [otherwiseNotFound] });
  for (const [method, path, handler] of routes) {
    router[method.toLowerCase() as 'get'](path, (request: IRequest, caller: Caller) => {
      const { incoming, requestId } = caller;
      if (mayBeForged(method, incoming.headers, publicUrl()))
        return errorResponse(403, 'This is only for requests from our own pages.', requestId);
      return handler(request as unknown as Request, caller);
    });
    router.all(path, (_request, { requestId }) =>
      errorResponse(405, `This address takes ${method}.`, requestId, { headers: { Allow: method } }),
    );
  }
  return async (request, caller) => (await router.fetch(request as IRequest, caller)) as Response;
}

const shown = ({ id, createdAt }: { id: string; createdAt: Date }) => ({
  id,
  createdAt: formatTime(createdAt),
  expiresAt: formatTime(new Date(createdAt.getTime() + lifetimeMs)),
});

const answer = (body: unknown, cookie?: string): Response =>
  Response.json(body, cookie === undefined ? {} : { headers: { 'Set-Cookie': cookie } });

/** The body as `schema` has it. @throws ValidationError, TransportError */
async function read<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const problems = new Problems();
  const parsed = schema.safeParse((await readBody(request, problems)) ?? {});
  if (!problems.any) for (const { path, message } of parsed.error?.issues ?? []) problems.add(path.join('.'), message);
  problems.throwIfAny();
  return parsed.data as T;
}

class ThrottledError extends CodedError {
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('RATE_LIMITED', `Too many attempts. Try again in ${Math.ceil(retryAfter / 60)} minutes.`);
    this.retryAfter = retryAfter;
  }
}

function answerFault(error: unknown, request: IRequest, caller: Caller): Response {
  const response = answerError(error, request, caller);
  if (error instanceof ThrottledError) response.headers.set('Retry-After', String(error.retryAfter));
  return response;
}
