import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { isDistributed } from '../../prisma/distributed.ts';
import { watcherTimeoutSeconds } from '../notifications/watcher-registry.ts';

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

/** Each tenant's entries are taken in their order, and each tenant's next one before any tenant's one after that. */
const readNext = `
  select tenant_id as "tenantId", id, coalesce(cardinality(payloads), 1) as size, place::int
  from (
    select *, row_number() over (partition by tenant_id order by created_at, id) as place from outbox
  ) as entry
  order by place, created_at limit $1`;

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
  const { rowCount } = await pool.query('select from outbox limit 1');
  if (rowCount === 0) return 0;
  const client = await pool.connect();
  try {
    await client.query('begin');
    const moved = await moveSome(client);
    await client.query('commit');
    client.release();
    return moved;
  } catch (error) {
    client.release(true); // the transaction ends with its connection
    throw error;
  }
}

async function moveSome(client: PoolClient): Promise<number> {
  const lock = await client.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [moverLock]);
  if (lock.rows[0]?.taken !== true) return 0;
  const { rows } = await client.query<Listed>(readNext, [maxEntries]);
  const next = withinLimit(rows);
  // Only deleted entries are moved. After a server has failed, another transaction may have moved an entry meanwhile.
  const deleted = await client.query<Entry>(
    `delete from outbox where tenant_id = any($1::uuid[]) and id = any($2::uuid[])
     returning tenant_id as "tenantId", id, task, payloads, run_at as "runAt", channel, announcement`,
    [[...new Set(next.map(({ tenantId }) => tenantId))], next.map(({ id }) => id)],
  );
  const found = new Map(deleted.rows.map((entry) => [getKey(entry), entry]));
  const entries = next.flatMap((listed) => found.get(getKey(listed)) ?? []);
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

/** Deletes watchers of processes that ended without doing so. */
async function deleteLostWatchers(pool: Pool): Promise<void> {
  const lost = `seen_at < now() - interval '${watcherTimeoutSeconds} seconds'`;
  const { rowCount } = await pool.query(`select from watchers where ${lost} limit 1`);
  if (rowCount !== 0) await pool.query(`delete from watchers where ${lost}`);
}

/**
 * Moves the outbox until it is stopped. Any number of processes may do so. A database on one server has an empty outbox,
 * unless a backup of several servers was restored to it, or its books are distributed later: so that is looked at rarely.
 */
export function startOutbox(pool: Pool, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let distributed = false;
  let cleanedUpAt = 0;

  /** @returns how long to wait, in milliseconds */
  async function work(): Promise<number> {
    distributed ||= await isDistributed(pool);
    if (distributed && performance.now() - cleanedUpAt > cleanUpMs) {
      cleanedUpAt = performance.now();
      await deleteLostWatchers(pool);
    }
    if ((await moveOutbox(pool)) > 0) return 0;
    return distributed ? pauseMs : plainPauseMs;
  }

  const running = (async () => {
    while (!signal.aborted) {
      const waitMs = await work().catch((err: unknown) => {
        log.error({ err }, 'the outbox is not moved');
        return pauseAfterFailureMs;
      });
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
