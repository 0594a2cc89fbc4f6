import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from 'graphile-worker';
import type { Pool } from 'pg';
import {
  beginBackfills,
  fillNext,
  noteFailure,
  readBackfills,
  type Backfill,
  type Outcome,
} from '../../prisma/migrate/backfills.ts';
import { isLockTimeout } from '../../prisma/connection/transaction-retry.ts';
import { InterruptedError, startPace } from './pace.ts';

/** How long to wait for others who hold locks of rows. */
const blockedMs = 1000;

/**
 * Fills the rows that migrations leave to it, migration by migration. A batch and its progress are one transaction: after a kill, the
 * next run goes on behind the last batch, and a run that meets another one leaves it the rest.
 */
export const backfill =
  (pool: Pool, declared: () => Promise<readonly Backfill[]> = readBackfills): Task =>
  async (_payload, { logger, abortSignal }) => {
    const pause = startPace(abortSignal);
    for (const each of await beginBackfills(pool, await declared())) {
      try {
        for (let outcome: Outcome = 'rows left'; outcome !== 'finished';) {
          outcome = await fillOrWait(pool, each, abortSignal);
          if (outcome === 'busy') return;
          await pause();
        }
        logger.info(`The backfill of ${each.name} has ended`);
      } catch (error) {
        if (!(error instanceof InterruptedError)) await noteFailure(pool, each, error);
        throw error;
      }
    }
  };

async function fillOrWait(pool: Pool, each: Backfill, stopping: AbortSignal): Promise<Outcome> {
  try {
    return await fillNext(pool, each);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    await sleep(blockedMs, undefined, { signal: stopping }).catch(() => {
      throw new InterruptedError();
    });
    return 'rows left';
  }
}
