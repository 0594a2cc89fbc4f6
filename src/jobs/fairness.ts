import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

// The queue runs jobs in the order of their times. So the jobs of a tenant with very many events would delay everybody's.
// Those jobs are given a lower priority: they run when no other job is due. That takes seconds for very many jobs, so
// meanwhile the few jobs of other tenants are given a higher one.
//
// Finding those takes a look at all due jobs. So between two batches only the jobs that became due lately are looked at.

/** An arbitrary number that nothing else in the database uses as an advisory lock: one worker does this at a time. */
const lock = 0x66616972;
/** A tenant may have so many due jobs before they yield to other tenants'. */
const maxDueJobs = 200;
/** How many jobs are given another priority by one statement, so that none takes long. */
const batchSize = 2000;
/** How often to look. In between, a tenant's new jobs have the priority of all. */
const pauseMs = 200;
const pauseAfterFailureMs = 1000;

// In graphile-worker, a higher number is a lower priority.
const due = `is_available and priority = 0 and run_at <= now()`;
const dueRecently = `${due} and run_at > now() - interval '2 seconds'`;

const isAnyoneBusy = `
  select from graphile_worker._private_jobs where ${due} order by run_at offset ${maxDueJobs} limit 1`;

const busyTenants = `
  select payload ->> 'tenantId' as tenant from graphile_worker._private_jobs
  where ${due} and payload ->> 'tenantId' is not null group by 1 having count(*) > ${maxDueJobs}`;

const letGoFirst = (condition: string): string => `
  select from graphile_worker.reschedule_jobs(array(
    select id from graphile_worker._private_jobs
    where ${condition} and payload ->> 'tenantId' <> all($1) and (select pg_try_advisory_xact_lock(${lock}))
    limit ${batchSize}
  ), priority => -1)`;

const makeYield = (limit: number): string => `
  select yielded.id from graphile_worker.reschedule_jobs(array(
    select id from graphile_worker._private_jobs
    where ${due} and payload ->> 'tenantId' = any($1) and (select pg_try_advisory_xact_lock(${lock}))
    limit ${limit}
  ), priority => 1) as yielded`;

/**
 * Lets the due jobs of tenants who have many of them yield to those of other tenants.
 * @param limit how many jobs of busy tenants yield before others' new jobs are looked for again
 * @returns how many jobs yield now
 */
export async function yieldToOthers(pool: Pool, limit = batchSize): Promise<number> {
  const { rowCount: isBusy } = await pool.query(isAnyoneBusy);
  if (isBusy === 0) return 0;
  const { rows } = await pool.query<{ tenant: string }>(busyTenants);
  const tenants = rows.map(({ tenant }) => tenant);
  if (tenants.length === 0) return 0;
  await pool.query(letGoFirst(due), [tenants]);
  for (let yielded = 0; ;) {
    const { rowCount } = await pool.query(makeYield(limit), [tenants]);
    yielded += rowCount ?? 0;
    if (rowCount !== limit) return yielded;
    await pool.query(letGoFirst(dueRecently), [tenants]);
  }
}

/** Does so again and again until it is stopped. Any number of workers may do so. */
export function startFairness(pool: Pool, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      const waitMs = await yieldToOthers(pool).then(
        () => pauseMs,
        (err: unknown) => {
          log.error({ err }, 'jobs of busy tenants do not yield');
          return pauseAfterFailureMs;
        },
      );
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
