import { Gauge } from 'prom-client';
import { TenantPool } from '../../../prisma/client.ts';
import { readProgress, computeShare } from '../../../prisma/migrate/backfills.ts';
import { ConnectionPool } from '../../../prisma/connection/connection.ts';
import type { Database } from '../../database/database.ts';
import type { Metrics } from './metrics.ts';
import { countEntries, countQueue, type QueueCounts } from './queue.ts';

/** The queue is counted at most this often, and the result is not waited for longer. */
const everyMs = 2000;
const timeoutMs = 2000;
/** A worker of Citus that hangs is asked twice, for two seconds each. */
const workersTimeoutMs = 5000;

/** Metrics of the database, read when metrics are requested. All processes report the same values for the queue. */
export function measureDatabase(
  metrics: Metrics,
  { pool, books, workers, unready, impaired }: Pick<Database, 'pool' | 'books' | 'workers' | 'unready' | 'impaired'>,
): void {
  metrics.pool('identity', pool);
  metrics.pool('books', books.pool);
  if (books.pool instanceof TenantPool) metrics.tenantBusy(() => (books.pool as TenantPool).refused);
  for (const each of [pool, books.pool]) {
    if (each instanceof ConnectionPool) each.observeErrors(metrics.databaseError);
  }

  const show = (gauge: Gauge): void => metrics.registry.registerMetric(gauge);
  const aggregator = 'max';
  const counted = cached(async () => {
    const backfills = (await readProgress(pool)).map((each) => ({ name: each.name, share: computeShare(each) }));
    return { ...(await countQueue(pool)), backfills };
  }, noCounts);
  // By itself, because a worker of Citus may not answer.
  const entries = cached(() => countEntries(pool, workers), []);
  const tasks = async (): Promise<QueueCounts['tasks']> => [...(await counted()).tasks, ...(await entries())];

  show(
    new Gauge({
      name: 'kontor_ready',
      help: '1 while the database answers and is migrated, and so do all workers of Citus, as at /health/ready',
      registers: [],
      aggregator: 'min',
      async collect() {
        const check = async (): Promise<string | undefined> => (await unready()) ?? impaired();
        const reason = await withTimeout(check()).catch(() => 'no response');
        this.set(reason === undefined ? 1 : 0);
      },
    }),
  );
  show(
    new Gauge({
      name: 'kontor_citus_worker_up',
      help: '1 for a worker of Citus that answers, 0 for one that does not; worker: its nodeid in pg_dist_node',
      labelNames: ['worker'],
      registers: [],
      aggregator: 'min',
      async collect() {
        this.reset();
        const asked = Promise.all([workers.list(), workers.askAll()]);
        const [all, away] = await withTimeout(asked, workersTimeoutMs).catch(() => [workers.away, workers.away]);
        for (const worker of all) this.set({ worker }, away.includes(worker) ? 0 : 1);
      },
    }),
  );
  show(
    new Gauge({
      name: 'kontor_citus_move_leftovers',
      help: 'Replication slots and subscriptions of moved shards on a worker of Citus that nobody uses, while none is moved',
      labelNames: ['worker'],
      registers: [],
      aggregator,
      async collect() {
        this.reset();
        const found = await withTimeout(workers.countLeftovers(), workersTimeoutMs).catch(
          () => new Map<number, number>(),
        );
        for (const [worker, count] of found) this.set({ worker }, count);
      },
    }),
  );
  show(
    new Gauge({
      name: 'kontor_queue_jobs',
      help: 'Jobs by task; state: due, later, running, or dead (given up by the queue)',
      labelNames: ['task', 'state'],
      registers: [],
      aggregator,
      async collect() {
        this.reset();
        for (const { task, due, later, running, dead } of await tasks()) {
          for (const [state, count] of Object.entries({ due, later, running, dead })) this.set({ task, state }, count);
        }
      },
    }),
  );
  show(
    new Gauge({
      name: 'kontor_queue_oldest_due_seconds',
      help: 'For how long the oldest due job of a task has waited',
      labelNames: ['task'],
      registers: [],
      aggregator,
      async collect() {
        this.reset();
        for (const { task, oldestDueSeconds } of await tasks()) this.set({ task }, oldestDueSeconds);
      },
    }),
  );
  show(
    new Gauge({
      name: 'kontor_workers',
      help: 'Workers that were seen in the last 20 seconds',
      registers: [],
      aggregator,
      async collect() {
        const { live } = await counted();
        if (live === undefined) this.remove();
        else this.set(live);
      },
    }),
  );
  show(
    new Gauge({
      name: 'kontor_backfill_progress_ratio',
      help: 'Which share of its rows the backfill of a migration has passed; 1 once it has ended',
      labelNames: ['migration'],
      registers: [],
      aggregator,
      async collect() {
        this.reset();
        for (const { name, share } of (await counted()).backfills) this.set({ migration: name }, share);
      },
    }),
  );
}

interface Counts extends Pick<QueueCounts, 'tasks'> {
  /** Undefined if nothing was counted: that is not 0. */
  live: number | undefined;
  backfills: { name: string; share: number }[];
}

const noCounts: Counts = { tasks: [], live: undefined, backfills: [] };

/** Caches the counts for a short time; empty if they can't be read. */
function cached<Counted>(count: () => Promise<Counted>, empty: Counted): () => Promise<Counted> {
  let countedAt = -Infinity;
  let counts: Promise<Counted> | undefined;
  return () => {
    if (!counts || performance.now() - countedAt > everyMs) {
      countedAt = performance.now();
      counts = withTimeout(count()).catch(() => empty);
    }
    return counts;
  };
}

async function withTimeout<T>(work: Promise<T>, ms = timeoutMs): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('No response in time')), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
