import { Logger, type JobHelpers, type Task } from 'graphile-worker';

const helpers: Pick<JobHelpers, 'logger' | 'abortSignal'> = {
  logger: new Logger(() => () => {}),
  abortSignal: new AbortController().signal,
};

/** Runs a job that nothing interrupts, without the queue. It must not add jobs. */
export const runJob = async (task: Task): Promise<unknown> => task({}, helpers as JobHelpers);
