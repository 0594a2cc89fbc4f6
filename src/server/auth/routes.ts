import { z } from 'zod';
import { asActor, type UnscopedClient } from '../../../prisma/client.ts';
import { CodedError, found, refuse } from '../../../schema/errors/errors.ts';
import { email, requiredText } from '../../../schema/graphql/input/validators.ts';
import { formatTime } from '../../../schema/graphql/scalars/scalars.ts';
import {
  respond,
  parseBody,
  parsed,
  serve,
  throttled,
  type AuthHandler,
  type AuthRequestContext,
  type Handler,
} from './router.ts';
import { sessionCookie, sessionToken } from './cookie.ts';
import {
  acceptInvitation,
  changePassword,
  createDocsToken,
  createInvitedAccount,
  endSessions,
  findInvitation,
  findSession,
  hashPassword,
  lifetimeMs,
  openSession,
  RefusedError,
  signInAs,
  type CountInvited,
  type Started,
  type TryPassword,
  type UserSummary,
} from '../../identity/index.ts';
import type { PublicAddress } from '../../../rest-shim/rest-request.ts';

const secret = z.string().max(1024, 'Must not be longer than 1024 characters.');
const passwords = z.object({
  currentPassword: secret,
  newPassword: secret,
  revokeTokens: z.boolean('Must be true or false.').default(false),
});

/**
 * Sessions for people. Requests and responses are JSON; errors have REST's format. Addresses and bodies are those of
 * better-auth, as far as it has them. src/pages/guides/authentication.md has the table.
 */
export function createAuthRoutes({
  client,
  tryPassword,
  countInvited,
  publicAddress,
  now,
}: {
  client: UnscopedClient;
  tryPassword: TryPassword;
  countInvited: CountInvited;
  publicAddress: PublicAddress;
  now: () => Date;
}): AuthHandler {
  const current = (request: Request) =>
    findSession(client, sessionToken(request.headers.get('cookie'), publicAddress.url), now());
  const describeBrowser = (request: Request) => ({ userAgent: request.headers.get('user-agent'), now: now() });

  /** The user with the right password, or a refusal. */
  const verified = async (
    typed: { email: string; password: string },
    caller: AuthRequestContext,
    rejected: () => never,
  ) => {
    const result = await tryPassword({ ...typed, address: caller.address });
    if (result.kind === 'verified') return result.user;
    caller.logOutcome(result.kind);
    return result.kind === 'throttled' ? throttled(result.retryAfter) : rejected();
  };

  /** The response for a new session. It replaces the cookie, so a former session of this browser is ended. */
  const enter = async (
    request: Request,
    caller: AuthRequestContext,
    user: UserSummary,
    { token, session }: Started,
    more = {},
  ) => {
    caller.logOutcome('entered', user.id);
    const previous = await current(request);
    if (previous) await endSessions(client, { userId: previous.user.id, id: previous.id });
    return respond({ ...sessionBody(user, session), ...more }, { cookie: sessionCookie(token, publicAddress.url) });
  };

  const signIn: Handler = async (request, caller) => {
    const input = parsed(await parseBody(request), z.object({ email, password: secret }));
    const user = await verified(input, caller, wrong);
    return enter(request, caller, user, (await openSession(client, user, describeBrowser(request))) ?? wrong());
  };

  const getSession: Handler = async (request) => {
    const session = await current(request);
    return respond(session && sessionBody(session.user, session));
  };

  const signOut =
    (everywhere: boolean): Handler =>
    async (request) => {
      const session = await current(request);
      if (session) await endSessions(client, { userId: session.user.id, ...(!everywhere && { id: session.id }) });
      return respond({ success: true }, { cookie: sessionCookie(null, publicAddress.url) });
    };

  const change: Handler = async (request, caller) => {
    const session = await current(request);
    if (!session) throw new CodedError('UNAUTHENTICATED', 'The session has ended. Sign in again.');
    const input = parsed(await parseBody(request), passwords);
    const isWrong = (): never => refuse('currentPassword', 'wrong_password', 'Is not your password.');
    const user = await verified({ email: session.user.email, password: input.currentPassword }, caller, isWrong);
    const changed = await changePassword(
      client,
      user,
      { ...input, address: caller.address },
      describeBrowser(request),
    ).catch(asFieldError('newPassword'));
    if (!changed) return isWrong();
    return enter(request, caller, user, changed, { revokedTokens: changed.revokedTokens });
  };

  /** Whether the request has a session of this address. Only then does the response reveal that the account exists. */
  const startSession = async (request: Request, address: string) => {
    const session = await current(request);
    return session?.user.email === address ? session : null;
  };

  const look: Handler = async (request) => {
    const { token } = parsed(await parseBody(request), z.object({ token: secret }));
    const { email: invited, tenant, invitedBy, expiresAt } = await found(findInvitation(client, token, now()));
    return respond({
      email: invited,
      tenant: { name: tenant.name },
      invitedBy,
      expiresAt: formatTime(expiresAt),
      hasAccount: (await startSession(request, invited)) ? true : null,
    });
  };

  /**
   * With a session of the invited address, the user joins the tenant. Without one, a name and a password make an account if
   * the address has none. The response and its duration don't reveal whether the address had an account.
   */
  const accept: Handler = async (request, caller) => {
    const body = await parseBody(request);
    const { token } = parsed(body, z.object({ token: secret }));
    const { email: invited, tenant } = await found(findInvitation(client, token, now()));
    const session = await startSession(request, invited);
    if (session) {
      const userId = session.user.id;
      await asActor({ kind: 'user', userId }, () => acceptInvitation(client, { secret: token, userId, now: now() }));
      return respond({ ...sessionBody(session.user, session), tenant });
    }
    if (!body || !('name' in body || 'password' in body)) throw signInAs(invited);
    const { name, password } = parsed(body, z.object({ name: requiredText(255), password: secret }));
    const retryAfter = await countInvited(token);
    if (retryAfter !== null) {
      caller.logOutcome('throttled');
      throttled(retryAfter);
    }
    const passwordHash = await hashPassword(password, caller.address).catch(asFieldError('password'));
    await createInvitedAccount(client, { secret: token, name, passwordHash, now: now() });
    const message = `Sign in as ${invited} to accept. The password is the one you sent, unless there was an account already.`;
    return respond({ email: invited, message }, { status: 202 });
  };

  /** For the samples of the documentation. The token is of a test tenant only, so that no page ever gets one of real books. */
  const makeTestToken: Handler = async (request, { requestId }) => {
    const session = await current(request);
    if (!session) throw new CodedError('UNAUTHENTICATED', 'The session has ended. Sign in to the dashboard again.');
    const { user, id: sessionId } = session;
    const made = await asActor({ kind: 'session', userId: user.id, sessionId, requestId }, () =>
      createDocsToken(client, user, now()),
    ).catch(asFieldError('token'));
    if (!made) throw new CodedError('NOT_FOUND', 'You have no test tenant yet.');
    return respond({ ...made, userId: user.id, expiresAt: formatTime(made.expiresAt) });
  };

  return serve(
    [
      ['POST', '/sign-in/email', signIn],
      ['GET', '/get-session', getSession],
      ['POST', '/test-token', makeTestToken],
      ['POST', '/sign-out', signOut(false)],
      ['POST', '/revoke-sessions', signOut(true)],
      ['POST', '/change-password', change],
      ['POST', '/invitation', look],
      ['POST', '/invitation/accept', accept],
    ],
    publicAddress,
  );
}

const wrong = (): never => {
  throw new CodedError('UNAUTHENTICATED', 'The e-mail address or the password is not right.');
};

/** The reason why a password is refused, as the error of a field. */
const asFieldError =
  (field: string) =>
  (error: unknown): never => {
    if (error instanceof RefusedError) refuse(field, ...error.problem);
    throw error;
  };

const sessionBody = ({ id, name, email: address }: UserSummary, session: { id: string; createdAt: Date }) => ({
  user: { id, name, email: address },
  session: {
    id: session.id,
    createdAt: formatTime(session.createdAt),
    expiresAt: formatTime(new Date(session.createdAt.getTime() + lifetimeMs)),
  },
});
