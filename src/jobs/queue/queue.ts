import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseCronItems, run, type CronItem, type Logger, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Client, Pool, PoolClient, PoolConfig } from 'pg';
import { backfillJob } from '../../../prisma/migrate/backfills.ts';
import { Connection, ConnectionPool } from '../../../prisma/connection/connection.ts';
import { replaceBrokenConnections } from '../../../prisma/connection/pool-options.ts';
import type { RunningTask } from '../../processes/keep-running.ts';

/** graphile-worker keeps one, by which it hears of new jobs. Where there are many processes, the share of each is only one. */
const fewestConnections = 2;

/** How long running jobs may continue after a connection was lost, before they are freed for other workers. */
const graceMs = 5000;

// Hourly, because a day begins at different times in different time zones. An invoice becomes overdue only once. Anchors are made
// once a day, and hourly in case that the service did not run before. With very many tenants, the sealing takes longer than a minute:
// one at a time, and one more that waits.
export const usualCrontab: CronItem[] = [
  { task: 'overdue', match: '5 * * * *' },
  {
    task: 'seal_audit_log',
    match: '* * * * *',
    options: { queueName: 'seal_audit_log', jobKey: 'seal_audit_log' },
  },
  { task: 'make_anchors', match: '20 * * * *' },
  { task: 'clean_up', match: '30 3 * * *' },
  { task: 'clean_up_exports', match: '45 3 * * *' },
  { task: 'check_logos', match: '0 4 * * *' },
  { task: 'delete_unused_files', match: '50 * * * *' },
  { task: 'prove_documents', match: '30 4 * * *' },
  { task: 'clean_up_responses', match: '35 * * * *' },
  // Its first job is added after a migration. After a kill in between, this one is.
  { task: backfillJob.task, match: '* * * * *', options: { queueName: backfillJob.queue, jobKey: backfillJob.key } },
];

export interface QueueSettings {
  taskList: TaskList;
  crontab: CronItem[];
  /** The number of jobs that run at the same time, and are taken at once. */
  concurrency: number;
  logger: Logger;
  /** Called when as many jobs as possible were taken at once: others may be due. */
  onBacklog: () => void;
}

/**
 * Runs jobs of the queue until it is stopped, or until one of its connections breaks. After that it is unknown which jobs
 * were assigned to it, and which are recorded as done: the run ends, and all jobs that it still locks have to be freed.
 * @param pool the pool whose settings the run's own connections have
 * @param join receives the queue's name for the run, by which its jobs are locked; returns a function to call at its end
 */
export async function startQueue(
  pool: Pool,
  { taskList, crontab, concurrency, logger, onBacklog }: QueueSettings,
  join: (workerId: string) => Promise<() => Promise<void>>,
): Promise<RunningTask> {
  const lost = Promise.withResolvers<'lost'>();
  const max = Math.max(pool.options.max, fewestConnections);
  const connections = new QueuePool({ ...pool.options, max }, () => lost.resolve('lost'));
  const events: WorkerEvents = new EventEmitter();
  let workerId = '';
  events.on('pool:create', ({ workerPool }) => (workerId = workerPool.id));
  events.on('pool:fatalError', () => lost.resolve('lost'));
  events.on('localQueue:getJobs:complete', ({ jobs }) => void (jobs.length === concurrency && onBacklog()));
  const runner = await run({
    events,
    pgPool: connections,
    taskList,
    parsedCronItems: parseCronItems(crontab),
    concurrency,
    preset: {
      worker: {
        pollInterval: 250, // once per worker, whatever its concurrency
        localQueue: { size: concurrency },
        // By default, graphile-worker doesn't wait until a job is recorded as done, and the process ends if that fails.
        completeJobBatchDelay: 50,
        failJobBatchDelay: 50,
        gracefulShutdownAbortTimeout: 0, // long jobs end soon after their next step: see pace.ts
      },
    },
    noHandleSignals: true, // the process itself handles signals
    logger,
  });
  connections.areExpected = true;
  const stop = (): Promise<void> => {
    connections.isEnding = true;
    return runner.stop().catch(() => {}); // it has stopped already
  };
  // Without its connections graphile-worker may wait for ever.
  const stopSoon = (): Promise<void> => Promise.race([stop(), sleep(graceMs)]);
  const leave = await join(workerId).catch(async (error: unknown) => {
    await stopSoon();
    await connections.cut();
    throw error;
  });
  const end = async (): Promise<void> => {
    const outcome = await Promise.race([runner.promise.catch(() => 'lost'), lost.promise]);
    if (outcome === 'lost') await stopSoon();
    await connections.cut();
    await leave();
  };
  const ended = end();
  return {
    stop: () => {
      void stop(); // may never settle after a connection was lost
      return ended;
    },
    ended,
  };
}

/** A pool whose connections can all be closed at once, including those in use. */
class QueuePool extends ConnectionPool {
  readonly #open = new Set<Client>();
  readonly #onLost: () => void;
  /**
   * Whether the run ends if a connection can't be opened, as it does if a connection breaks. The call is then never
   * answered: graphile-worker would throw the error where nothing catches it, and the process would end.
   */
  areExpected = false;
  /** Whether failed statements are never answered either. While graphile-worker ends, nothing catches their errors. */
  isEnding = false;

  constructor(config: PoolConfig, onLost: () => void) {
    super({ ...config, Client: QueueConnection });
    this.#onLost = onLost;
    replaceBrokenConnections(this);
    this.on('connect', (connection) => {
      this.#open.add(connection);
      connection.on('error', onLost).once('end', () => this.#open.delete(connection));
      if (connection instanceof QueueConnection) connection.onFailure = (error) => this.#failed(error);
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<PoolClient> | void {
    if (!callback) return super.connect().catch((error: unknown) => this.#unavailable(error));
    super.connect((error, client) => {
      if (error && this.areExpected) return this.#onLost();
      callback(error, client, client?.release ?? (() => {}));
    });
  }

  #unavailable(error: unknown): Promise<never> {
    if (!this.areExpected) throw error;
    this.#onLost();
    return new Promise(() => {});
  }

  #failed(error: unknown): Promise<never> {
    if (!this.isEnding) throw error;
    return this.#unavailable(error);
  }

  async cut(): Promise<void> {
    void this.end(); // waits for connections that are never released
    await Promise.all([...this.#open].map((connection) => connection.end().catch(() => {})));
  }
}

type Callback = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

class QueueConnection extends Connection {
  /** Called when a statement fails; its result answers the statement. */
  onFailure: (error: unknown) => Promise<never> = async (error) => {
    throw error;
  };
  #release: PoolClient['release'] = () => {};

  /**
   * The pool sets it each time that the connection is acquired. If the connection breaks while graphile-worker stops,
   * graphile-worker may release it twice. That would end the process, so the second call has no effect.
   */
  set release(release: PoolClient['release']) {
    let released = false;
    this.#release = (error) => {
      if (!released) release(error);
      released = true;
    };
  }

  get release(): PoolClient['release'] {
    return this.#release;
  }

  override query(...args: never[]): never {
    const result: unknown = super.query(...args);
    return (result instanceof Promise ? result.catch((error: unknown) => this.onFailure(error)) : result) as never;
  }
}
