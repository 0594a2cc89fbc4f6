import type { Access } from '../auth/request-admission.ts';

/** A request that may wait for longer than requests may take. */
export interface WaitingRequest {
  access: Access;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /** Extends the request's deadline. */
  extend: (byMs: number) => void;
  /** Admits the request anew. @throws CodedError if it isn't admitted */
  readmit: () => Promise<unknown>;
}

/**
 * Waits for up to `ms` milliseconds, as WhileWaiting says. A request's wait ends with its caller's access, as a subscription
 * does. What was read meanwhile is then not answered.
 */
export async function waitWithAccess<Result>(
  { access, signal, extend, readmit }: WaitingRequest,
  ms: number,
  work: (ended: AbortSignal, checkAccess: () => void) => Promise<Result>,
): Promise<Result> {
  const { isStillAuthorized, onAccessEnd, expiresInMs } = access;
  extend(ms);
  const ending = new AbortController();
  const end = (): void => ending.abort();
  // A change of the token is announced as well, and a failed check is one that the end of the wait repeats.
  const check = (): void => void isStillAuthorized().then((isAuthorized) => isAuthorized || end(), end);
  const stopListening = onAccessEnd(check);
  const expires = expiresInMs !== null && expiresInMs <= ms;
  const expiry = expires ? setTimeout(end, Math.max(0, expiresInMs) + 1) : undefined;
  try {
    const result = await work(AbortSignal.any([signal, ending.signal, AbortSignal.timeout(ms)]), check);
    if (!(await isStillAuthorized())) await readmit();
    return result;
  } finally {
    stopListening();
    clearTimeout(expiry);
  }
}
