import type { Pool } from 'pg';

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
const countOutbox = `
  select 'outbox' as task, count(*)::int as due, 0 as later, 0 as running, 0 as dead,
    extract(epoch from now() - min(created_at))::float8 as "oldestDueSeconds"
  from outbox having count(*) > 0`;
const countWorkers = `select count(*)::int as live from workers where seen_at > now() - interval '20 seconds'`;

export interface QueueCounts {
  tasks: Task[];
  /** Workers with a heartbeat. */
  live: number;
}

/** Counts the queue's jobs, and its workers. */
export async function countQueue(pool: Pool): Promise<QueueCounts> {
  const { rows: jobs } = await pool.query<Task>(countJobs);
  const { rows: outbox } = await pool.query<Task>(countOutbox);
  const { rows: workers } = await pool.query<{ live: number }>(countWorkers);
  return { tasks: [...jobs, ...outbox], live: workers[0]?.live ?? 0 };
}
