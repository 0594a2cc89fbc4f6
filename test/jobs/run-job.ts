import { Logger, type JobHelpers, type Task } from 'graphile-worker';

/** Runs a job that nothing interrupts, without the queue. It must not add jobs. @returns what it warned of */
export async function runJob(task: Task, payload: object = {}): Promise<string[]> {
  const warnings: string[] = [];
  const logger = new Logger(() => (level, message) => {
    if (level === 'warning') warnings.push(message);
  });
  const abortSignal = new AbortController().signal;
  const job = { attempts: 1 } as JobHelpers['job'];
  const helpers: Pick<JobHelpers, 'logger' | 'abortSignal' | 'job'> = { logger, abortSignal, job };
  await task(payload, helpers as JobHelpers);
  return warnings;
}
