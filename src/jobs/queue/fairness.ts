import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { logFailure } from '../../database/log-failure.ts';

// The queue runs jobs in the order of their times. So the jobs of a tenant with very many events would delay everybody's.
// Those jobs get a lower priority: they run when no other job is due. That takes seconds for very many jobs. Meanwhile the
// few jobs of other tenants get a higher priority.
//
// A job's flag is its tenant: queue_jobs() sets it. graphile_worker.jobs is the queue's published view. It has flags, but only
// ids have an index there. So due jobs are looked for only when a worker gets as many jobs at once as it can.

/** An arbitrary number that nothing else in the database uses as an advisory lock: one worker does this at a time. */
const lock = 0x66616972;
/** A tenant may have so many due jobs before they yield to other tenants'. */
const maxDueJobs = 200;
/** How many jobs yield after one look. */
const maxYielding = 100_000;
/** How many jobs get another priority by one statement, so that none takes long. */
const batchSize = 2000;
/** The least time between two looks. In between, a tenant's new jobs have the priority of all. */
const pauseMs = 200;

// In graphile-worker, a higher number is a lower priority.
const due = 'locked_at is null and attempts < max_attempts and priority = 0 and run_at <= now()';

const findBusyTenants = `
  select tenant from graphile_worker.jobs, jsonb_object_keys(flags) as tenant
  where ${due} group by tenant having count(*) > ${maxDueJobs}`;

const findJobsOfBusy = `
  select id from graphile_worker.jobs where ${due} and flags ?| $1 order by id limit ${maxYielding}`;

const lowerPriority = `
  select from graphile_worker.reschedule_jobs($1::bigint[], priority => 1)
  where (select pg_try_advisory_xact_lock(${lock}))`;

/** Of the jobs that came after another one, whose id is $2. */
const raisePriorityOfOthers = `
  select from graphile_worker.reschedule_jobs(array(
    select id from graphile_worker.jobs where id > $2 and ${due} and not flags ?| $1
    and (select pg_try_advisory_xact_lock(${lock})) limit ${batchSize}
  ), priority => -1)`;

/**
 * Lets the due jobs of tenants who have many of them yield to those of other tenants.
 * @param batch how many jobs of busy tenants yield before others' new jobs are looked for again
 * @returns how many jobs yield now
 */
export async function yieldToOtherTenants(pool: Pool, batch = batchSize): Promise<number> {
  const { rows } = await pool.query<{ tenant: string }>(findBusyTenants);
  if (rows.length === 0) return 0;
  const busy = rows.map(({ tenant }) => tenant);
  await pool.query(raisePriorityOfOthers, [busy, 0]);
  const jobs = await pool.query<{ id: string }>(findJobsOfBusy, [busy]);
  const ids = jobs.rows.map(({ id }) => id);
  let yielded = 0;
  for (let start = 0; start < ids.length; start += batch) {
    const { rowCount } = await pool.query(lowerPriority, [ids.slice(start, start + batch)]);
    yielded += rowCount ?? 0;
    await pool.query(raisePriorityOfOthers, [busy, ids.at(-1)]);
  }
  return yielded;
}

export interface Fairness {
  /** Looks for jobs that have to yield, unless it does so already. */
  look(): void;
  /** Waits until a look has ended. */
  stop(): Promise<void>;
}

/** Any number of workers may have one. */
export function createFairness(pool: Pool, log: Logger): Fairness {
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;
  const lookAndPause = async (): Promise<void> => {
    await yieldToOtherTenants(pool).catch((err: unknown) => logFailure(log, err, 'jobs of busy tenants do not yield'));
    await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    looking = undefined;
  };
  return {
    look: () => {
      if (!stopping.signal.aborted) looking ??= lookAndPause();
    },
    stop: async () => {
      stopping.abort();
      await looking;
    },
  };
}
