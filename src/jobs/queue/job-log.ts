import { Logger } from 'graphile-worker';
import type { Logger as Log } from 'pino';
import { isConnectionLost } from '../../../prisma/client.ts';
import { InterruptedError } from '../pace.ts';

/** The queue's messages in the service's log. */
export const logJobs = (log: Log): Logger =>
  new Logger(() => (level, message, meta) => {
    log[chooseLevel(level, message, meta?.['error'])](describeJob(meta?.['job']), message);
  });

function chooseLevel(level: string, message: string, error: unknown): 'error' | 'warn' | 'debug' {
  // Jobs wait for endpoints far more than for the database, so the pool has fewer connections than jobs on purpose.
  if (message.includes('maxPoolSize') || error instanceof InterruptedError) return 'debug';
  // The database is away: the job is no fault, and is run again.
  if (isConnectionLost(error)) return 'warn';
  return level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug';
}

/** A job's task and tenant; nothing where it is no job. */
function describeJob(job: unknown): { task?: string; tenantId?: string } {
  const { task_identifier: task, payload } = (job ?? {}) as {
    task_identifier?: string;
    payload?: { tenantId?: unknown };
  };
  const tenantId = payload?.tenantId;
  return { ...(task !== undefined && { task }), ...(typeof tenantId === 'string' && { tenantId }) };
}
