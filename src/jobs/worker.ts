import { makeWorkerUtils, type CronItem, type TaskList } from 'graphile-worker';
import type { Logger as Log } from 'pino';
import type { AnchorKey } from '../../schema/resources/anchor/signature.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { analyzeTask } from '../database/analyze.ts';
import { analyzeTables } from './analyze-tables.ts';
import { backfill } from './backfill.ts';
import { runBulkOperations } from './bulk-operations.ts';
import { checkLogos } from './check-logos.ts';
import { cleanUp, cleanUpResponses } from './clean-up.ts';
import { countFailures } from './queue/count-failures.ts';
import { deleteTestBooks } from './delete-test-books.ts';
import { deleteUnusedFiles } from './delete-unused-files.ts';
import type { Domain } from '../domain.ts';
import { createFairness } from './queue/fairness.ts';
import { cleanUpExports, runExports } from './exports.ts';
import { recallTenants } from '../identity/index.ts';
import { logJobs } from './queue/job-log.ts';
import { keepRunning } from '../processes/keep-running.ts';
import { overdue } from './overdue.ts';
import { startOutbox } from './queue/outbox.ts';
import { makeAnchors } from './make-anchors.ts';
import type { Keyring } from '../security/keyring.ts';
import { rotateSecret } from './rotate-secret.ts';
import { nameActors } from './queue/name-actors.ts';
import { proveDocuments, proveSoon } from './prove-documents.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { parseTraceParent } from '../observability/trace-parent.ts';
import { sealAuditLog } from './seal-audit-log.ts';
import { startHeartbeat } from './queue/worker-heartbeat.ts';
import { startQueue, usualCrontab } from './queue/queue.ts';
import { startInQueue } from './queue/tenant-queue.ts';
import { timestampAnchors } from './timestamp-anchors.ts';
import { deliver, type DeliveryObserver } from '../webhooks/deliver.ts';
import { fanOut } from '../webhooks/fan-out.ts';
import { EndpointConcurrency } from '../webhooks/endpoint-concurrency.ts';
import { createPoster } from '../webhooks/post.ts';
import type { WebhookSettings } from '../webhooks/webhooks.ts';

export interface Worker {
  /** Lets running jobs finish, takes no more. */
  stop(): Promise<void>;
  /** Why it takes no jobs; undefined if it does. */
  unready(): Promise<string | undefined>;
}

/** Jobs that run at the same time. Most of them wait for an endpoint, and hold no database connection meanwhile. */
const concurrency = 400;
/** The longest time of an attempt beyond its timeout: two transactions. An attempt that takes longer was cut off. */
const bookkeepingMs = 15_000;

/** Starts a worker that runs jobs of the queue; any number of workers may run. */
export async function startWorker(
  database: Database,
  domain: Domain,
  webhooks: WebhookSettings,
  {
    webhookTimeoutMs: timeoutMs,
    webhookRetryDelaysMs: retryDelaysMs,
    auditLogYears,
    eventDays,
    exportDays,
    timestampUrl,
    anchorKey,
    keyring,
    crontab = usualCrontab,
  }: Pick<
    Config,
    'webhookTimeoutMs' | 'webhookRetryDelaysMs' | 'auditLogYears' | 'eventDays' | 'exportDays' | 'timestampUrl'
  > & {
    /** The key that signs anchors now. */
    anchorKey: () => AnchorKey;
    keyring: Keyring;
    crontab?: CronItem[];
  },
  log: Log,
  metrics?: Metrics,
): Promise<Worker> {
  const { client, books, pool, workers } = database;
  const poster = createPoster({
    allowInsecure: webhooks.allowInsecure,
    timeoutMs,
    connectionsPerOrigin: concurrency,
  });
  const endpointConcurrency = new EndpointConcurrency(concurrency);
  const observer: DeliveryObserver = {
    attempted: ({ tenantId, isTest }, { requestId, traceParent, deliveryId, eventId, number }, outcome) => {
      const { status, error, durationMs: ms } = outcome;
      if (!isTest) metrics?.attempt(outcome);
      const traceId = parseTraceParent(traceParent)?.traceId;
      const from = { requestId, tenantId, ...(traceId !== undefined && { traceId }) };
      log.info(
        { ...from, deliveryId, eventId, attempt: number, status, ms, ...(error !== null && { error }) },
        'attempt',
      );
    },
    ended: ({ isTest }, consequences) => {
      if (!isTest) metrics?.deliveries(consequences);
    },
  };
  const rules = { retryDelaysMs, attemptMs: timeoutMs + bookkeepingMs };
  const logger = logJobs(log);
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  const tasks: TaskList = {
    fan_out: fanOut(books, proveSoon(utils.addJob)),
    deliver: deliver({
      books,
      poster,
      open: webhooks.open,
      rules,
      concurrency: endpointConcurrency,
      observer,
      findTenant: recallTenants(client),
    }),
    overdue: overdue(client, domain, workers),
    prove_documents: proveDocuments(client, domain, workers),
    seal_audit_log: sealAuditLog(client, domain, workers),
    make_anchors: makeAnchors(client, domain, anchorKey, workers, timestampUrl !== null),
    timestamp_anchors: timestampAnchors(client, domain, timestampUrl),
    check_logos: checkLogos(client, domain, workers),
    delete_unused_files: deleteUnusedFiles(client, domain, workers),
    delete_test_books: deleteTestBooks(database, domain),
    start_bulk_operations: startInQueue('run_bulk_operations', 'bulk_operations'),
    run_bulk_operations: runBulkOperations(
      database,
      domain,
      (err) => log.error({ err }, 'a line of a bulk operation'),
      metrics,
    ),
    start_exports: startInQueue('run_exports', 'exports'),
    run_exports: runExports(database, domain, exportDays, (err) => log.error({ err }, 'an export')),
    backfill: backfill(pool),
    [analyzeTask]: analyzeTables(database),
    rotate_secret: rotateSecret(database, keyring),
    clean_up: cleanUp(database, auditLogYears, eventDays),
    clean_up_exports: cleanUpExports(database, domain, exportDays),
    clean_up_responses: cleanUpResponses(database),
  };
  const named = nameActors(tasks);
  const taskList = metrics ? countFailures(named, metrics) : named;
  const join = (workerId: string) => startHeartbeat(client, utils, workerId, log);
  const fairness = createFairness(pool, log);
  const settings = { taskList, crontab, concurrency, logger, onBacklog: fairness.look };
  const running = await keepRunning(() => startQueue(pool, settings, join), log);
  const outbox = startOutbox(pool, log, workers);
  return {
    unready: async () => (running.isRunning() ? undefined : 'The queue ended by itself, and is begun again.'),
    stop: async () => {
      await outbox.stop();
      const stopped = running.stop();
      endpointConcurrency.close();
      await stopped;
      await fairness.stop();
      await poster.close();
    },
  };
}
