import { ConnectionError, ServerError, type KontorError } from './errors.ts';

export interface RetryOptions {
  /** Further attempts after the first one. Default: 5. */
  maxRetries?: number | undefined;
  /** Milliseconds after which no further attempt begins. Default: 120,000. */
  maxRetryTime?: number | undefined;
}

/** The most milliseconds that a timer takes. One with more ends at once. */
export const longestTimer = 2 ** 31 - 1;

const firstDelay = 500;
const longestDelay = 30_000;

/** Whether a request without a known response may have been executed. */
export const isOutcomeUnknown = (error: KontorError): boolean =>
  error instanceof ConnectionError || error instanceof ServerError;

/**
 * Whether another attempt could succeed and can't do harm. Refusals were not executed, so they can always be repeated.
 * If the outcome is unknown: GET writes nothing, POST has an Idempotency-Key, and a second DELETE finds nothing. A second
 * PATCH or PUT could overwrite what somebody else wrote in between, so it is left to the caller.
 */
function mayRetry(method: string, error: KontorError): boolean {
  if (error.status === 429) return true;
  return isOutcomeUnknown(error) && method !== 'PATCH' && method !== 'PUT';
}

/**
 * The milliseconds to wait before the next attempt: `Retry-After`, or exponential back-off. Both are extended at random,
 * so that many clients don't return at once.
 * @param attempt the number of the failed attempt, from 1
 * @param elapsed milliseconds since the first attempt began
 * @returns undefined if there should be no further attempt
 */
export function retryDelay(
  { method, error, attempt, elapsed }: { method: string; error: KontorError; attempt: number; elapsed: number },
  { maxRetries, maxRetryTime }: { maxRetries: number; maxRetryTime: number },
): number | undefined {
  if (attempt > maxRetries || !mayRetry(method, error)) return undefined;
  const backOff = Math.min(firstDelay * 2 ** (attempt - 1), longestDelay);
  const wait = error.retryAfter === undefined ? backOff : error.retryAfter * 1000;
  const delay = wait + (Math.random() * backOff) / 2;
  return elapsed + delay <= maxRetryTime ? delay : undefined;
}

/** Waits. @throws the signal's reason, as soon as it is aborted */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      settle();
    };
    const cancel = (): void => finish(() => reject(signal?.reason));
    const timer = setTimeout(() => finish(resolve), Math.min(milliseconds, longestTimer));
    signal?.addEventListener('abort', cancel);
  });
}
