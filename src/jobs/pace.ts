import { setTimeout as sleep } from 'node:timers/promises';

/** Work of less than this is not worth a pause. In milliseconds. */
const minWorkMs = 20;
/** How long to pause, for each millisecond of work. */
const pauseRatio = 2;

/** The worker stops before the job is done. The queue tries the job again, and it goes on where it stopped. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  override readonly message = 'The worker stops';
}

/**
 * For jobs of all tenants, which nobody waits for: they pause after some work, so that requests have the database's and the
 * machine's cores most of the time.
 * @param stopping the worker's signal to end soon
 * @returns a function to call after each piece of work
 * @throws InterruptedError from that function if the worker stops
 */
export function startPace(stopping: AbortSignal): () => Promise<void> {
  let workedSince = performance.now();
  return async () => {
    if (stopping.aborted) throw new InterruptedError();
    const workedMs = performance.now() - workedSince;
    if (workedMs < minWorkMs) return;
    await sleep(workedMs * pauseRatio, undefined, { signal: stopping }).catch(() => {
      throw new InterruptedError();
    });
    workedSince = performance.now();
  };
}
