import { EventEmitter } from 'node:events';
import { Logger, makeWorkerUtils, parseCronItems, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Logger as Log } from 'pino';
import type { Config } from './config.ts';
import type { Database } from './database.ts';
import { cleanUp, cleanUpAnswers } from './clean-up.ts';
import type { Domain } from './domain.ts';
import { overdue } from './overdue.ts';
import type { Metrics } from './metrics/metrics.ts';
import { keepPresence } from './presence.ts';
import { deliver } from './webhooks/deliver.ts';
import { fanOut } from './webhooks/fan-out.ts';
import { Lanes } from './webhooks/lanes.ts';
import { createPoster } from './webhooks/post.ts';
import type { WebhookSettings } from './webhooks/webhooks.ts';

export interface Worker {
  /** Lets running jobs finish, takes no more. */
  stop(): Promise<void>;
  /** Settles when the worker has stopped, rejects when it failed. */
  done: Promise<void>;
}

/** Jobs under way at once. Most of them wait for an endpoint, and hold no connection to the database meanwhile. */
const concurrency = 400;
/** What an attempt takes beyond its time-out, at most: two transactions. One that takes longer was cut off. */
const bookkeepingMs = 15_000;

// Hourly, because a day begins at another time in each time zone; an invoice is overdue only once.
const crontab = [
  { task: 'overdue', match: '5 * * * *' },
  { task: 'clean_up', match: '30 3 * * *' },
  { task: 'clean_up_answers', match: '35 * * * *' },
];

/** Takes jobs from the queue; as many workers as wanted may do so at once. */
export async function startWorker(
  database: Database,
  domain: Domain,
  webhooks: WebhookSettings,
  {
    webhookTimeoutMs: timeoutMs,
    webhookRetryDelaysMs: retryDelaysMs,
  }: Pick<Config, 'webhookTimeoutMs' | 'webhookRetryDelaysMs'>,
  log: Log,
  metrics?: Metrics,
): Promise<Worker> {
  const { client, books, pool } = database;
  const bare = createPoster({ allowInsecure: webhooks.allowInsecure, timeoutMs, connectionsPerOrigin: concurrency });
  const poster = metrics?.poster(bare) ?? bare;
  const lanes = new Lanes(concurrency);
  const rules = { retryDelaysMs, attemptMs: timeoutMs + bookkeepingMs };
  const taskList: TaskList = {
    fan_out: fanOut(books),
    deliver: deliver({ books, poster, open: webhooks.open, rules, lanes }),
    overdue: overdue(client, domain),
    clean_up: cleanUp(database),
    clean_up_answers: cleanUpAnswers(database),
  };
  const logger = new Logger(() => (level, message) => {
    // Jobs wait for endpoints far more than for the database: fewer connections than jobs is meant.
    const meant = message.includes('maxPoolSize');
    log[level === 'error' ? 'error' : level === 'warning' && !meant ? 'warn' : 'debug'](message);
  });
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  const events: WorkerEvents = new EventEmitter();
  let workerId = '';
  events.on('pool:create', ({ workerPool }) => (workerId = workerPool.id));
  const runner = await run({
    events,
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems(crontab),
    concurrency,
    noHandleSignals: true, // the process has more to stop than its worker
    logger,
    preset: {
      worker: {
        pollInterval: 250, // once per worker, whatever its concurrency
        localQueue: { size: concurrency },
        completeJobBatchDelay: 50,
        failJobBatchDelay: 50,
      },
    },
  });
  const leave = await keepPresence(client, utils, workerId, log);
  return {
    stop: async () => {
      const stopped = runner.stop();
      lanes.close();
      await stopped;
      await leave();
      await poster.close();
    },
    done: runner.promise,
  };
}
