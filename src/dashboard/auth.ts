/** The service's own endpoints for sessions, which need none: /api/auth. */

export interface Refusal {
  /** What is wrong, in words. */
  message: string;
  /** What is wrong with each field, by its name. */
  errors: Record<string, string[]>;
  status: number;
  /** Seconds to wait, where there were too many attempts. */
  retryAfter: number | undefined;
}

export type Answer<Data> = { data: Data; refusal?: undefined } | { data?: undefined; refusal: Refusal };

/** Sends one request. Never throws: what went wrong is in the answer. */
export async function ask<Data>(path: string, body?: object): Promise<Answer<Data>> {
  try {
    const response = await fetch(`/api/auth${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-Requested-With': 'kontor' },
      credentials: 'same-origin',
      ...(body && { body: JSON.stringify(body) }),
    });
    const content = (await response.json().catch(() => null)) as (Data & Partial<Refusal>) | null;
    if (response.ok) return { data: content as Data };
    return {
      refusal: {
        message: content?.message ?? 'Something went wrong. Try again.',
        errors: content?.errors ?? {},
        status: response.status,
        retryAfter: Number(response.headers.get('Retry-After')) || undefined,
      },
    };
  } catch {
    const message = 'The server can’t be reached. Check your connection, and try again.';
    return { refusal: { message, errors: {}, status: 0, retryAfter: undefined } };
  }
}

export const signIn = (credentials: { email: string; password: string }): Promise<Answer<unknown>> =>
  ask('/sign-in/email', credentials);

export const signOut = (): Promise<Answer<unknown>> => ask('/sign-out', {});

/** Ends all of the user's sessions, this one too. */
export const signOutEverywhere = (): Promise<Answer<unknown>> => ask('/revoke-sessions', {});
