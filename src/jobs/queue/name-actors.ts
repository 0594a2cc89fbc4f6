import type { Task, TaskList } from 'graphile-worker';
import { encodeActor, withSender } from '../../../prisma/client.ts';

/** The tasks, whose changes the audit log has under their names, unless they act for a caller; and so has the log slow statements. */
export const nameActors = (tasks: TaskList): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([job, task]): [string, Task] => [
      job,
      (payload, helpers) =>
        withSender({ operation: job, actor: encodeActor({ kind: 'job', job }) }, () => task?.(payload, helpers)),
    ]),
  );
