/** The service's own endpoints for sessions, which need none: /api/auth. */

export interface Refusal {
  /** What is wrong, in words. */
  message: string;
  /** What is wrong with each field, by its name. */
  fields: Record<string, string>;
  /** 0 where no answer came. */
  status: number;
  /** Seconds to wait, where there were too many attempts. */
  retryAfter: number | undefined;
}

export type Answer<Data> = { data: Data; refusal?: undefined } | { data?: undefined; refusal: Refusal };

/** Sends one request. Never throws: errors are in the answer. */
async function ask<Data>(path: string, body?: object): Promise<Answer<Data>> {
  try {
    const response = await fetch(`/api/auth${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-Requested-With': 'kontor' },
      credentials: 'same-origin',
      ...(body && { body: JSON.stringify(body) }),
    });
    const content: unknown = await response.json().catch(() => null);
    return response.ok ? { data: content as Data } : { refusal: refusalOf(response, content) };
  } catch {
    const message = 'The server can’t be reached. Check your connection, and try again.';
    return { refusal: { message, fields: {}, status: 0, retryAfter: undefined } };
  }
}

function refusalOf({ status, headers }: Response, content: unknown): Refusal {
  const { message, errors } = (content ?? {}) as { message?: string; errors?: Record<string, string[]> };
  return {
    message: message ?? 'Something went wrong. Try again.',
    fields: Object.fromEntries(Object.entries(errors ?? {}).map(([name, texts]) => [name, texts.join(' ')])),
    status,
    retryAfter: Number(headers.get('Retry-After')) || undefined,
  };
}

export interface SignedIn {
  user: { id: string; name: string; email: string };
}

// Scripts can't read the session's cookie. This flag says whether there may be one, which saves a request.
const trace = 'kontor-signed-in';

export const mayBeSignedIn = (): boolean => localStorage.getItem(trace) !== null;

export const forgetSession = (): void => localStorage.removeItem(trace);

async function entering<Data>(answer: Promise<Answer<Data>>): Promise<Answer<Data>> {
  const { data } = await answer;
  if (data) localStorage.setItem(trace, 'yes');
  return answer;
}

async function leaving(answer: Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  if (!(await answer).refusal) forgetSession();
  return answer;
}

export const signIn = (credentials: { email: string; password: string }): Promise<Answer<SignedIn>> =>
  entering(ask('/sign-in/email', credentials));

export const signOut = (): Promise<Answer<unknown>> => leaving(ask('/sign-out', {}));

/** Ends all of the user's sessions, this one too. */
export const signOutEverywhere = (): Promise<Answer<unknown>> => leaving(ask('/revoke-sessions', {}));

/** Ends all other sessions as well; with `revokeTokens`, the user's API tokens too. @returns how many of them */
export const changePassword = (input: {
  currentPassword: string;
  newPassword: string;
  revokeTokens: boolean;
}): Promise<Answer<SignedIn & { revokedTokens: number }>> => ask('/change-password', input);

/** Who is signed in, if anybody. */
export const currentSession = (): Promise<Answer<SignedIn | null>> => entering(ask('/get-session'));

export interface Invitation {
  email: string;
  tenant: { name: string };
  /** A name; null when it was made on the command line. */
  invitedBy: string | null;
  expiresAt: string;
  /** True for a session of this address; null for everybody else, who isn't told. */
  hasAccount: true | null;
}

export const lookAtInvitation = (token: string): Promise<Answer<Invitation>> => ask('/invitation', { token });

type Joined = Answer<{ tenant: { id: string } }>;

/** Accepts with the session of the invited address. */
export const acceptInvitation = (token: string): Promise<Joined> => entering(ask('/invitation/accept', { token }));

/**
 * Makes an account for the invited address, signs in with it, and accepts. Where the address has an account already, the
 * server doesn't say so: signing in is then refused with status 401.
 */
export async function joinAsNew(input: { token: string; name: string; password: string }): Promise<Joined> {
  const made = await ask<{ email: string }>('/invitation/accept', input);
  if (made.refusal) return made;
  const session = await signIn({ email: made.data.email, password: input.password });
  return session.refusal ? session : acceptInvitation(input.token);
}
