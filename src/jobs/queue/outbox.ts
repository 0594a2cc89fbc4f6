import { setTimeout as sleep } from 'node:timers/promises';
import { escapeLiteral, type Pool, type PoolClient, type QueryConfig } from 'pg';
import type { Logger } from 'pino';
import { logFailure } from '../../database/log-failure.ts';
import type { Workers } from '../../../prisma/distribute/workers.ts';
import { ConnectionPool } from '../../../prisma/connection/connection.ts';
import { inTransaction } from '../../../prisma/connection/in-transaction.ts';
import { isDistributed } from '../../../prisma/distribute/distributed.ts';
import { replaceBrokenConnections } from '../../../prisma/connection/pool-options.ts';
import { watcherTimeoutSeconds } from '../../notifications/watcher-registry.ts';

// Where the books are distributed over several servers, triggers leave jobs and announcements in the outbox, beside what they
// are about. This moves them into the queue and to NOTIFY, which are on the coordinator.

/** An arbitrary number that nothing else in the database uses as an advisory lock. */
const moverLock = 0x6f757462;
/** Limits of a transaction. An entry has all jobs of a statement, so a few can be many jobs. */
const maxEntries = 1000;
const maxJobs = 5000;
/** How long to wait before looking again, if there was nothing to move. */
const pauseMs = 200;
const plainPauseMs = 10_000;
const pauseAfterFailureMs = 1000;
const cleanUpMs = 10_000;
/** How long to wait for the outbox's servers: one of Citus' workers may hang. */
const lookMs = 3000;

/** Each tenant's entries are taken in their order, and each tenant's next one before any tenant's one after that. */
const readNext = (outbox: string): string => `
  select tenant_id as "tenantId", id, coalesce(cardinality(payloads), 1) as size, place::int
  from (
    select *, row_number() over (partition by tenant_id order by created_at, id) as place from ${outbox}
  ) as entry
  order by place, created_at limit ${maxEntries}`;

interface Listed {
  tenantId: string;
  id: string;
  /** The number of jobs. */
  size: number;
  place: number;
}

interface Entry {
  tenantId: string;
  id: string;
  /** Null for an announcement. */
  task: string | null;
  payloads: unknown[] | null;
  runAt: (Date | null)[] | null;
  /** Null for jobs. */
  channel: string | null;
  announcement: string | null;
}

/**
 * Moves some of the outbox, in one transaction. Does nothing while another process does it.
 * @returns the number of entries that were moved
 */
export async function moveOutbox(pool: Pool): Promise<number> {
  // On several servers, a transaction that finds nothing to delete costs more than this.
  const look: QueryConfig & { query_timeout: number } = { text: 'select from outbox limit 1', query_timeout: lookMs };
  const { rowCount } = await pool.query(look);
  if (rowCount === 0) return 0;
  return moveListed(pool, 0, async (client) => (await client.query<Listed>(readNext('outbox'))).rows);
}

/** The same of the entries that are on one of Citus' workers, by statements that need no other one. */
async function moveOutboxOf(workers: Workers, worker: number): Promise<number> {
  const listed = await workers.rowsOf<Listed>(worker, 'outbox', readNext);
  if (listed.length === 0) return 0;
  return moveListed(workers.poolOf(worker), worker, async () => listed);
}

/** @param part what is moved by one process at a time: a worker's entries, or 0 for all */
const moveListed = (pool: Pool, part: number, list: (client: PoolClient) => Promise<Listed[]>): Promise<number> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1, $2) as taken', [
      moverLock,
      part,
    ]);
    return rows[0]?.taken === true ? moveSome(client, await list(client)) : 0;
  });

async function moveSome(client: PoolClient, listed: Listed[]): Promise<number> {
  const next = withinLimit(listed);
  if (next.length === 0) return 0;
  // Only deleted entries are moved. Another transaction may have moved an entry meanwhile. The tenants are named in the
  // statement's text: by them Citus finds the servers that it needs.
  const tenants = [...new Set(next.map(({ tenantId }) => tenantId))].map(escapeLiteral);
  const deleted = await client.query<Entry>(
    `delete from outbox where tenant_id in (${tenants.join(', ')}) and id = any($1::uuid[])
     returning tenant_id as "tenantId", id, task, payloads, run_at as "runAt", channel, announcement`,
    [next.map(({ id }) => id)],
  );
  const found = new Map(deleted.rows.map((entry) => [getKey(entry), entry]));
  const entries = next.flatMap((each) => found.get(getKey(each)) ?? []);
  await queueJobs(client, entries);
  await notify(client, entries);
  return entries.length;
}

/** Entries of different tenants may have the same id. */
const getKey = ({ tenantId, id }: Pick<Entry, 'tenantId' | 'id'>): string => `${tenantId} ${id}`;

async function queueJobs(client: PoolClient, entries: Entry[]): Promise<void> {
  for (const [task, ofTask] of Map.groupBy(entries, (entry) => entry.task)) {
    if (task === null) continue;
    const jobs = ofTask.flatMap(({ payloads, runAt }) =>
      (payloads ?? []).map((payload, index) => ({ payload: JSON.stringify(payload), runAt: runAt?.[index] ?? null })),
    );
    const values = [task, jobs.map(({ payload }) => payload), jobs.map(({ runAt }) => runAt)];
    await client.query('select queue_jobs($1, $2::json[], $3)', values);
  }
}

async function notify(client: PoolClient, entries: Entry[]): Promise<void> {
  const announcements = entries.filter(({ channel }) => channel !== null);
  if (announcements.length === 0) return;
  const values = [
    announcements.map(({ channel }) => channel),
    announcements.map(({ tenantId, announcement }) => `${tenantId} ${announcement}`),
  ];
  await client.query(
    'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as announced (channel, payload)',
    values,
  );
}

/** Of the tenants' next entries the small ones come first, so that no tenant waits for another one's many jobs. */
function withinLimit(listed: Listed[]): Listed[] {
  const sorted = listed.toSorted((one, other) => one.place - other.place || one.size - other.size);
  let jobs = 0;
  return sorted.filter(({ size }) => {
    const isTaken = jobs < maxJobs;
    jobs += size;
    return isTaken;
  });
}

const lost = `seen_at < now() - interval '${watcherTimeoutSeconds} seconds'`;

/** Deletes watchers of processes that ended without doing so. */
async function deleteLostWatchers(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(`select from watchers where ${lost} limit 1`);
  if (rowCount !== 0) await pool.query(`delete from watchers where ${lost}`);
}

/** Of those that are on one of Citus' workers. */
async function deleteLostWatchersOf(workers: Workers, worker: number): Promise<void> {
  const listed = await workers.rowsOf<{ tenant: string }>(
    worker,
    'watchers',
    (watchers) => `select distinct tenant_id as tenant from ${watchers} where ${lost}`,
  );
  if (listed.length === 0) return;
  const tenants = listed.map(({ tenant }) => escapeLiteral(tenant));
  await workers.poolOf(worker).query(`delete from watchers where tenant_id in (${tenants.join(', ')}) and ${lost}`);
}

/**
 * Moves the outbox until it is stopped. Any number of processes may do so. A database on one server has an empty outbox,
 * unless a backup of several servers was restored to it, or its books are distributed later: so that is looked at rarely.
 */
export function startOutbox(pool: Pool, log: Logger, workers: Workers): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let distributed = false;
  let cleanedUpAt = -Infinity;
  /** The pool's connections are others' too. A statement that waits for a worker takes one of its own. */
  let own: Pool | undefined;
  /** The work that is under way for each worker of Citus, by the worker's id. */
  const moving = new Map<number, Promise<number>>();

  async function workOnAll(isCleanUp: boolean): Promise<number> {
    if (!own && distributed) {
      own = new ConnectionPool({ ...pool.options, max: 1 });
      replaceBrokenConnections(own);
    }
    const all = own ?? pool;
    if (isCleanUp) await deleteLostWatchers(all);
    return moveOutbox(all);
  }

  async function workOn(worker: number, isCleanUp: boolean): Promise<number> {
    try {
      if (isCleanUp) await deleteLostWatchersOf(workers, worker);
      return await moveOutboxOf(workers, worker);
    } catch (err) {
      if (!workers.isAway(worker)) log.error({ err, worker }, 'the outbox of a worker of Citus is not moved');
      return 0;
    }
  }

  /** None waits for another one, which may begin to hang. */
  async function workOnEach(isCleanUp: boolean): Promise<number> {
    for (const worker of await workers.list()) {
      if (workers.isAway(worker) || moving.has(worker)) continue;
      const done = workOn(worker, isCleanUp).finally(() => moving.delete(worker));
      moving.set(worker, done);
    }
    return Promise.race([...moving.values(), sleep(pauseMs, 0)]);
  }

  /** @returns how long to wait, in milliseconds */
  async function work(): Promise<number> {
    distributed ||= await isDistributed(pool);
    const isCleanUp = distributed && performance.now() - cleanedUpAt > cleanUpMs;
    if (isCleanUp) cleanedUpAt = performance.now();
    const moved = workers.away.length === 0 ? await workOnAll(isCleanUp) : await workOnEach(isCleanUp);
    if (moved > 0) return 0;
    return distributed ? pauseMs : plainPauseMs;
  }

  const running = (async () => {
    while (!signal.aborted) {
      const waitMs = await work().catch(async (err: unknown) => {
        // Whether a worker is the reason: then the others' entries are moved next.
        const isByWorker = (await workers.askAll().catch(() => [])).length > 0;
        if (isByWorker) return 0;
        logFailure(log, err, 'the outbox is not moved');
        return pauseAfterFailureMs;
      });
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
    await Promise.all(moving.values());
    await own?.end();
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
