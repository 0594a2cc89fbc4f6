import { setTimeout as sleep } from 'node:timers/promises';
import { getErrorCode } from './error-code.ts';

/** The number of retries, and the longest pause before the first one, in milliseconds. */
const maxRetries = 5;
const firstPauseMs = 20;

/** PostgreSQL's codes of serialization_failure and deadlock_detected, and Prisma's for both. */
const contentionCodes = new Set(['40001', '40P01', 'P2034']);

/** Citus's message if a statement was planned before the tenant's shard was moved or split. It has no specific code. */
const movedShard = /could not find valid entry for shard/;

/**
 * Whether PostgreSQL aborted a transaction because of concurrent transactions (a serialization failure or a deadlock), or
 * Citus because of a shard that moved. It is rolled back, and can succeed if it is retried.
 */
export function isContention(error: unknown): boolean {
  const code = getErrorCode(error) ?? '';
  return contentionCodes.has(code) || (code === 'XX000' && movedShard.test((error as Error).message));
}

/** Whether a statement has waited for a lock as long as limitLockWaits() allows: PostgreSQL's lock_not_available. */
export const isLockTimeout = (error: unknown): boolean => getErrorCode(error) === '55P03';

/**
 * Retries `work` while it fails by contention, at most five times. The pauses grow, and are random, so that transactions
 * that failed together aren't retried together.
 * @param work a whole transaction, or a statement that is one; it must have no other effect that can't be repeated
 */
export async function retryContended<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    return retryFailed(error, work);
  }
}

/** The same for `work` that has failed with this error. */
export async function retryFailed<Result>(failure: unknown, work: () => Promise<Result>): Promise<Result> {
  let error = failure;
  for (let retries = 0; retries < maxRetries && isContention(error); retries += 1) {
    await sleep(Math.random() * firstPauseMs * 2 ** retries);
    try {
      return await work();
    } catch (next) {
      error = next;
    }
  }
  throw error;
}
