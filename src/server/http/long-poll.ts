import type { WhileWaiting } from '../../../rest-shim/rest-request.ts';
import { CodedError } from '../../../schema/errors.ts';
import type { Refusal } from '../auth/request-admission.ts';

/** A request that may wait for longer than requests may take. */
export interface WaitingRequest {
  /** Extends the request's deadline. */
  extend: (byMs: number) => void;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /** Whether the request would still be admitted. */
  isStillAuthorized: () => Promise<boolean>;
  /** Calls back once the caller's token or membership has ended. @returns a function that unsubscribes */
  onAccessEnd: (end: () => void) => () => void;
  /** When the token expires, in milliseconds from now; null if it never does. */
  expiresInMs: number | null;
  /** Admits the request anew. @returns why it isn't admitted */
  readmit: () => Promise<Refusal | undefined>;
}

/** Ends a request's wait with its caller's access, as a subscription ends. What was read meanwhile is then not answered. */
export const createWhileWaiting =
  (request: WaitingRequest): WhileWaiting =>
  async (ms, work) => {
    const { isStillAuthorized, expiresInMs } = request;
    request.extend(ms);
    const access = new AbortController();
    const end = (): void => access.abort();
    // A change of the token is announced as well, and a failed check is one that the end of the wait repeats.
    const check = (): void => void isStillAuthorized().then((isAuthorized) => isAuthorized || end(), end);
    const stopListening = request.onAccessEnd(check);
    const expires = expiresInMs !== null && expiresInMs <= ms;
    const expiry = expires ? setTimeout(end, Math.max(0, expiresInMs) + 1) : undefined;
    check(); // access may have ended before this process listened
    try {
      const result = await work(AbortSignal.any([request.signal, access.signal, AbortSignal.timeout(ms)]));
      const refusal = (await isStillAuthorized()) ? undefined : await request.readmit();
      if (refusal) throw new CodedError(refusal.code, refusal.message);
      return result;
    } finally {
      stopListening();
      clearTimeout(expiry);
    }
  };
