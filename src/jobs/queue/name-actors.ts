import type { Task, TaskList } from 'graphile-worker';
import { asActor } from '../../../prisma/client.ts';
import { inOperation } from '../../observability/slow-statements.ts';

/** The tasks, whose changes the audit log has under their names, unless they act for a caller; and so has the log slow statements. */
export const nameActors = (tasks: TaskList): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([job, task]): [string, Task] => [
      job,
      (payload, helpers) => inOperation(job, () => asActor({ kind: 'job', job }, () => task?.(payload, helpers))),
    ]),
  );
