import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Prisma } from './generated/client/client.ts';

/** The number of retries, and the longest pause before the first one, in milliseconds. */
const maxRetries = 5;
const firstPauseMs = 20;

/** PostgreSQL's codes of serialization_failure and deadlock_detected. */
const codes = new Set(['40001', '40P01']);

/**
 * Whether PostgreSQL aborted a transaction because of concurrent transactions (a serialization failure or a deadlock). It is
 * rolled back, and can succeed if it is retried.
 * @param error of pg's or of Prisma's, whose code for this is P2034, and P2010 for raw SQL
 */
export function isContention(error: unknown): boolean {
  if (error instanceof DatabaseError) return codes.has(error.code ?? '');
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  if (error.code === 'P2034') return true;
  return error.code === 'P2010' && codes.has(getOriginalCode(error) ?? '');
}

/** PostgreSQL's code of lock_not_available. */
const lockNotAvailable = '55P03';

/** Whether a statement has waited for a lock as long as limitLockWaits() allows. */
export function isLockTimeout(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === lockNotAvailable;
  return error instanceof Prisma.PrismaClientKnownRequestError && getOriginalCode(error) === lockNotAvailable;
}

/** PostgreSQL's code of an error that Prisma has no code of its own for. */
function getOriginalCode({ meta = {} }: Prisma.PrismaClientKnownRequestError): string | undefined {
  const { driverAdapterError } = meta as { driverAdapterError?: { cause?: { originalCode?: string } } };
  return driverAdapterError?.cause?.originalCode;
}

/**
 * Retries `work` while it fails by contention, at most five times. The pauses grow, and are random, so that transactions
 * that failed together aren't retried together.
 * @param work a whole transaction, or a statement that is one; it must have no other effect that can't be repeated
 */
export async function retryContended<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work();
    } catch (error) {
      if (retries === maxRetries || !isContention(error)) throw error;
      await sleep(Math.random() * firstPauseMs * 2 ** retries);
    }
  }
}
