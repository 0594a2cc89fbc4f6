import { forgetAllKept } from '../forms/kept-input.ts';
import { explain } from '../errors/explain.ts';
import type { Problem } from '../errors/plain-messages.ts';
import { language } from '../i18n/language.ts';
import { t, translate } from '../i18n/t.ts';

// The client of /api/auth: signing in and out, passwords, and invitations.

/** Why a request was refused. */
export interface Refusal {
  /** A sentence for the user. */
  message: string;
  /** Messages by the name of the field. */
  fields: Record<string, string>;
  /** 0 for a network error. */
  status: number;
  /** Seconds to wait after too many attempts. */
  retryAfter: number | undefined;
}

export type AuthResult<Data> = { data: Data; refusal?: undefined } | { data?: undefined; refusal: Refusal };

/** Sends a request. Never throws: errors are part of the result. */
async function request<Data>(path: string, body?: object): Promise<AuthResult<Data>> {
  try {
    const response = await fetch(`/api/auth${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-Requested-With': 'kontor' },
      credentials: 'same-origin',
      ...(body && { body: JSON.stringify(body) }),
    });
    const content: unknown = await response.json().catch(() => null);
    return response.ok ? { data: content as Data } : { refusal: findRefusal(response, content) };
  } catch {
    const message = t('The server can’t be reached. Check your connection, and try again.');
    return { refusal: { message, fields: {}, status: 0, retryAfter: undefined } };
  }
}

function findRefusal({ status, headers }: Response, content: unknown): Refusal {
  const { message, details = [] } = (content ?? {}) as { message?: string; details?: (Problem & { field: string })[] };
  const byField = [...Map.groupBy(details, ({ field }) => field)];
  return {
    message: message === undefined ? t('Something went wrong. Try again.') : translate(message),
    fields: Object.fromEntries(byField.map(([name, problems]) => [name, problems.map(sayProblem).join(' ')])),
    status,
    retryAfter: Number(headers.get('Retry-After')) || undefined,
  };
}

const sayProblem = (problem: Problem): string => (language === 'en' ? problem.message : explain(problem));

export interface SignedIn {
  user: { id: string; name: string; email: string };
}

// Scripts can't read the session's cookie. This flag says whether there may be one, which saves a request.
const signedInFlag = 'kontor-signed-in';

export const mayBeSignedIn = (): boolean => localStorage.getItem(signedInFlag) !== null;

export const forgetSession = (): void => localStorage.removeItem(signedInFlag);

async function rememberSession<Data>(result: Promise<AuthResult<Data>>): Promise<AuthResult<Data>> {
  const { data } = await result;
  if (data) localStorage.setItem(signedInFlag, 'yes');
  return result;
}

async function endSession(result: Promise<AuthResult<unknown>>): Promise<AuthResult<unknown>> {
  if ((await result).refusal) return result;
  forgetSession();
  forgetAllKept();
  return result;
}

export const signIn = (credentials: { email: string; password: string }): Promise<AuthResult<SignedIn>> =>
  rememberSession(request('/sign-in/email', credentials));

export const signOut = (): Promise<AuthResult<unknown>> => endSession(request('/sign-out', {}));

/** Ends all sessions of the user, including this one. */
export const signOutEverywhere = (): Promise<AuthResult<unknown>> => endSession(request('/revoke-sessions', {}));

/** Changes the password and ends all other sessions. With `revokeTokens`, it also revokes the user's API tokens. */
export const changePassword = (input: {
  currentPassword: string;
  newPassword: string;
  revokeTokens: boolean;
}): Promise<AuthResult<SignedIn & { revokedTokens: number }>> => request('/change-password', input);

/** The signed-in user, or null. */
export const currentSession = (): Promise<AuthResult<SignedIn | null>> => rememberSession(request('/get-session'));

export interface Invitation {
  email: string;
  tenant: { name: string };
  /** The inviter's name. Null if the invitation was created on the command line. */
  invitedBy: string | null;
  expiresAt: string;
  /** True for a session of the invited address. Null for anybody else, who must not learn it. */
  hasAccount: true | null;
}

export const readInvitation = (token: string): Promise<AuthResult<Invitation>> => request('/invitation', { token });

type Joined = AuthResult<{ tenant: { id: string } }>;

/** Accepts with the session of the invited address. */
export const acceptInvitation = (token: string): Promise<Joined> =>
  rememberSession(request('/invitation/accept', { token }));

/**
 * Creates an account for the invited address, signs in with it, and accepts. If the address already has an account, the
 * server doesn't say so: signing in is then refused with status 401.
 */
export async function joinWithNewAccount(input: { token: string; name: string; password: string }): Promise<Joined> {
  const created = await request<{ email: string }>('/invitation/accept', input);
  if (created.refusal) return created;
  const session = await signIn({ email: created.data.email, password: input.password });
  return session.refusal ? session : acceptInvitation(input.token);
}
