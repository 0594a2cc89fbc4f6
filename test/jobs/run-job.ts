import { Logger, type JobHelpers, type Task } from 'graphile-worker';

/** Runs a job that nothing interrupts, without the queue. It must not add jobs. @returns what it warned of */
export async function runJob(task: Task): Promise<string[]> {
  const warnings: string[] = [];
  const logger = new Logger(() => (level, message) => {
    if (level === 'warning') warnings.push(message);
  });
  const helpers: Pick<JobHelpers, 'logger' | 'abortSignal'> = { logger, abortSignal: new AbortController().signal };
  await task({}, helpers as JobHelpers);
  return warnings;
}
