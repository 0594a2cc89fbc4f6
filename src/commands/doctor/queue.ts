import type { Pool } from 'pg';
import { version } from '../../../schema/version.ts';
import { applicationName } from '../../database/application-name.ts';
import { countQueue } from '../../observability/metrics/queue.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** As the alert KontorQueueBackedUp. */
const longestWaitSeconds = 300;

export async function checkQueue(pool: Pool): Promise<Finding[]> {
  const { tasks, live } = await countQueue(pool);
  const found: Finding[] = [];
  if (live === 0) found.push(fail('queue', 'No worker runs', 'Start one: npm run -s kontor -- work'));
  const late = tasks.filter(({ oldestDueSeconds }) => oldestDueSeconds > longestWaitSeconds);
  if (late.length > 0) {
    const oldest = Math.max(...late.map(({ oldestDueSeconds }) => oldestDueSeconds));
    const message = `Due jobs wait for up to ${Math.round(oldest)} s: ${late.map(({ task }) => task).join(', ')}`;
    found.push(fail('queue', message, "Start more workers, and read the worker's log"));
  }
  const dead = tasks.filter((task) => task.dead > 0);
  if (dead.length > 0)
    found.push(
      warn(
        'queue',
        `Given up: ${dead.map((task) => `${task.dead} of ${task.task}`).join(', ')}`,
        'Read their errors: select task_identifier, last_error from graphile_worker.jobs where attempts = max_attempts',
      ),
    );
  const due = tasks.reduce((sum, task) => sum + task.due, 0);
  return found.length > 0 ? found : [ok('queue', `${live} worker${live === 1 ? '' : 's'}, ${due} due jobs`)];
}

/** The versions of the processes that are connected to the database, which their connections name. */
export async function checkProcesses(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ version: string }>(
    `select distinct substr(application_name, length($1) + 2) as version from pg_stat_activity
     where datname = current_database() and application_name ~ ('^' || $1 || ' \\d')  order by 1`,
    [applicationName],
  );
  const versions = rows.map((row) => row.version);
  const others = versions.filter((each) => each !== version);
  if (others.length > 0)
    return [
      warn(
        'processes',
        `Processes of version ${others.join(', ')} run beside ${version}`,
        'Finish the upgrade: replace the processes of the older version',
      ),
    ];
  return [ok('processes', versions.length > 0 ? `All run version ${version}` : 'None is connected')];
}
