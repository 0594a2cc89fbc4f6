import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Prisma } from './generated/client/client.ts';

/** How often something is retried, and the longest pause before the first retry, in milliseconds. */
const mostRetries = 5;
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
  const { driverAdapterError } = (error.meta ?? {}) as {
    driverAdapterError?: { cause?: { originalCode?: string } };
  };
  return error.code === 'P2010' && codes.has(driverAdapterError?.cause?.originalCode ?? '');
}

/**
 * Runs `work` again while it fails by contention, at most five times. Each time it waits longer, and not as long as
 * others that failed at the same time, so that they don't meet again.
 * @param work a whole transaction, or a statement that is one; must not do anything else that can't be done twice
 */
export async function retryContended<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work();
    } catch (error) {
      if (retries === mostRetries || !isContention(error)) throw error;
      await sleep(Math.random() * firstPauseMs * 2 ** retries);
    }
  }
}
