import type { Worker } from 'node:worker_threads';

/** How often work is measured, in milliseconds. */
const interval = 100;

interface WorkLimit {
  /** Aborted once a processor has worked for longer than it may. */
  signal: AbortSignal;
  /** Ends the measuring. */
  stop: () => void;
}

/**
 * Limits how long a processor works for threads, in milliseconds. The time that goes by says little of that: on a busy
 * machine a thread mostly waits for a processor.
 */
export function limitWork({ threads }: { threads: readonly Worker[] }, most: number): WorkLimit {
  const tooMuch = new AbortController();
  const measure = async (): Promise<void> => {
    const work = await Promise.all(threads.map(measureWork));
    if (work.reduce((sum, each) => sum + each, 0) > most) tooMuch.abort();
    else timer?.refresh();
  };
  let timer: NodeJS.Timeout | undefined = setTimeout(() => void measure(), interval);
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return { signal: tooMuch.signal, stop };
}

/** A thread that waits tells once it goes on. One that has not begun, or has ended, refuses to. */
async function measureWork(thread: Worker): Promise<number> {
  if (!('cpuUsage' in thread)) return 0; // Node before version 24.6
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1000;
}
