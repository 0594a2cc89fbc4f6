import { setTimeout as sleep } from 'node:timers/promises';

/** Work of less than this is not worth a pause. In milliseconds. */
const minWorkMs = 20;
/** How long to pause, for each millisecond of work. */
const pauseRatio = 2;

/**
 * For jobs of all tenants, which nobody waits for: they pause after some work, so that requests have the database's and the
 * machine's cores most of the time.
 * @returns a function to call after each piece of work
 */
export function startPace(): () => Promise<void> {
  let workedSince = performance.now();
  return async () => {
    const workedMs = performance.now() - workedSince;
    if (workedMs < minWorkMs) return;
    await sleep(workedMs * pauseRatio);
    workedSince = performance.now();
  };
}
