/** When failed attempts of a delivery are retried (DECISIONS.md#d32-attempts). */
export interface RetryPolicy {
  /** Milliseconds before each retry: as many retries as there are delays. */
  retryDelaysMs: readonly number[];
  /** The longest time of an attempt. One that has taken longer was cut off. */
  attemptMs: number;
}

/** Whether no retry follows the attempt. */
export const isLastAttempt = (number: number, { retryDelaysMs }: RetryPolicy): boolean => number > retryDelaysMs.length;

/**
 * The time of the attempt after a failed one, with a jitter of ±10 %: deliveries that fail together aren't retried together.
 * @returns undefined if the failed attempt was the last
 */
export function nextAttemptAt(failed: number, now: Date, { retryDelaysMs }: RetryPolicy): Date | undefined {
  const delayMs = retryDelaysMs[failed - 1];
  return delayMs === undefined ? undefined : new Date(now.getTime() + delayMs * (0.9 + Math.random() * 0.2));
}
