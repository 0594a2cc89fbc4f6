import type { Pool } from 'pg';
import type { Workers } from '../../../prisma/distribute/workers.ts';

/** The jobs of a task. */
interface Task {
  task: string;
  due: number;
  later: number;
  running: number;
  dead: number;
  oldestDueSeconds: number;
}

// A job without attempts left is dead: no worker runs it again.
const countJobs = `
  select task_identifier as task,
    count(*) filter (where available and run_at <= now())::int as due,
    count(*) filter (where available and run_at > now())::int as later,
    count(*) filter (where locked_at is not null)::int as running,
    count(*) filter (where locked_at is null and not available)::int as dead,
    coalesce(extract(epoch from now() - min(run_at) filter (where available and run_at <= now())), 0)::float8
      as "oldestDueSeconds"
  from (select *, locked_at is null and attempts < max_attempts as available from graphile_worker.jobs) as jobs
  group by task_identifier`;
/** Where the books are distributed over several servers: entries that wait to become jobs. Empty otherwise. */
const countOutbox = (outbox: string): string => `
  select count(*)::int as due, extract(epoch from now() - min(created_at))::float8 as "oldestDueSeconds"
  from ${outbox} having count(*) > 0`;
const countWorkers = `select count(*)::int as live from workers where seen_at > now() - interval '20 seconds'`;

type Entries = Pick<Task, 'due' | 'oldestDueSeconds'>;

export interface QueueCounts {
  tasks: Task[];
  /** Workers with a heartbeat. */
  live: number;
}

/** Counts the queue's jobs, and its workers. */
export async function countQueue(pool: Pool): Promise<QueueCounts> {
  const { rows: jobs } = await pool.query<Task>(countJobs);
  const { rows: workers } = await pool.query<{ live: number }>(countWorkers);
  return { tasks: jobs, live: workers[0]?.live ?? 0 };
}

/** Counts the outbox, without what is on a worker of Citus that doesn't answer. */
export async function countEntries(pool: Pool, workers: Workers): Promise<Task[]> {
  const of = async (worker: number): Promise<Entries[]> =>
    workers.rowsOf<Entries>(worker, 'outbox', countOutbox).catch(() => []);
  const nodes = await workers.list();
  const counts =
    nodes.length > 0
      ? (await Promise.all(nodes.map(of))).flat()
      : (await pool.query<Entries>(countOutbox('outbox'))).rows;
  if (counts.length === 0) return [];
  const due = counts.reduce((sum, each) => sum + each.due, 0);
  const oldestDueSeconds = Math.max(...counts.map((each) => each.oldestDueSeconds));
  return [{ task: 'outbox', due, later: 0, running: 0, dead: 0, oldestDueSeconds }];
}
