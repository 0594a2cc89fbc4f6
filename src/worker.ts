import { Logger, parseCronItems, run, type TaskList } from 'graphile-worker';
import type { Logger as Log } from 'pino';
import type { Database } from './database.ts';
import { forget } from './rate-limit.ts';
import { fanOut } from './webhooks/fan-out.ts';

export interface Worker {
  /** Lets running jobs finish, takes no more. */
  stop(): Promise<void>;
  /** Settles when the worker has stopped, rejects when it failed. */
  done: Promise<void>;
}

/** Takes jobs from the queue; as many workers as wanted may do so at once. */
export async function startWorker({ pool }: Database, log: Log): Promise<Worker> {
  const tasks: TaskList = {
    fan_out: fanOut,
    forget_rate_limits: async () => {
      await forget(pool);
    },
  };
  const runner = await run({
    pgPool: pool,
    taskList: tasks,
    parsedCronItems: parseCronItems([{ task: 'forget_rate_limits', match: '30 3 * * *' }]),
    concurrency: 5,
    noHandleSignals: true, // the process has more to stop than its worker
    logger: new Logger(() => (level, message) => {
      log[level === 'warning' ? 'warn' : level === 'error' ? 'error' : 'debug'](message);
    }),
  });
  return { stop: () => runner.stop(), done: runner.promise };
}
