import type { Task, TaskList } from 'graphile-worker';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import { InterruptedError } from '../pace.ts';

/** Wraps each task, so that its failures are counted by task and reason. */
export const countFailures = (tasks: TaskList, metrics: Pick<Metrics, 'jobFailed'>): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]): [string, Task] => [
      name,
      async (payload, helpers) => {
        try {
          return await task?.(payload, helpers);
        } catch (error) {
          if (!(error instanceof InterruptedError)) metrics.jobFailed(name, findReason(error));
          throw error;
        }
      },
    ]),
  );

/** The code of an error of PostgreSQL, Node, OpenSSL, or the domain, else its class. It has no values, so there are few. */
export function findReason(error: unknown): string {
  if (!(error instanceof Error)) return 'other';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^[0-9A-Z_]{2,50}$/.test(code) ? code : error.name;
}
