import type { RequestOptions } from './options.ts';
import { sleep } from './retry.ts';

/** A bulk operation or an export, which a job does. */
interface Job {
  finished_at: string | null;
}

export interface WaitOptions<Kind extends Job> extends RequestOptions {
  /** Called whenever its counts were read. */
  onProgress?: ((job: Kind) => void) | undefined;
}

const firstWait = 500;
const longestWait = 10_000;

/** Asks for it, less and less often, until it has ended. */
export async function waitForEnd<Kind extends Job>(
  get: (options: RequestOptions) => Promise<Kind>,
  { onProgress, ...options }: WaitOptions<Kind>,
): Promise<Kind> {
  for (let delay = firstWait; ; delay = Math.min(delay * 1.5, longestWait)) {
    const job = await get(options);
    onProgress?.(job);
    if (job.finished_at !== null) return job;
    await sleep(delay, options.signal);
  }
}
