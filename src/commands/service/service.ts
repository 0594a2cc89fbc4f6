import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { findConnectionShortage } from '../../database/connection-budget.ts';
import { openDatabase, type Database } from '../../database/database.ts';
import { createNotifications } from '../../notifications/notifications.ts';
import { createLog } from '../../observability/log.ts';
import { defaultLimits } from '../../server/http/connections.ts';
import { defaultTimeouts } from '../../server/http/timeouts.ts';
import { GracefulShutdown } from '../../processes/graceful-shutdown.ts';
import type { Demo } from '../../demo/demo-data.ts';
import { reportMetricsToPrimary, clusterMetrics, processRole, sendToPrimary } from '../../processes/ipc.ts';
import { readAnchorKey } from '../../security/anchor-key.ts';
import type { Keyring } from '../../security/keyring.ts';
import { readPresentSecret } from '../../security/rotation.ts';
import { findSecretProblem, readKeyring } from '../../security/secret-check.ts';
import { watchSecrets } from '../../security/watch-secrets.ts';
import { createMetricsHandler, createMetricsServer, type Exposition } from '../../observability/metrics/endpoint.ts';
import { logSlowStatements } from '../../observability/slow-statements.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import { print, printError } from '../output.ts';
import { currentTime, followDatabaseClock } from '../../../prisma/clock.ts';
import { findSettingsProblem } from '../../../prisma/connection/node-settings.ts';
import { clearTemporaryFolders } from '../../../schema/graphql/input/temporary-folder.ts';
import type { PublicAddress } from '../../../rest-shim/rest-request.ts';
import type { Worker } from '../../jobs/worker.ts';
import { createHealthServer } from '../../server/health.ts';
import { claimRateLimiter } from '../../processes/rate-limiter-lock.ts';
import { shutdownRequested } from '../../processes/signals.ts';
import { createCheck } from '../../database/readiness.ts';
import { releaseStartupMemory } from '../../processes/release-startup-memory.ts';
import { createWebhooks, type WebhookSettings } from '../../webhooks/webhooks.ts';
import { openStorage } from '../../storage/storage.ts';
import { greet } from './greet.ts';
import { listen, socketsForClients } from './listening.ts';

const loadDomain = () => import('../../domain.ts');
const loadServer = () => import('../../server/server.ts');

/**
 * Loads modules in advance, while an embedded PostgreSQL starts: most of a start is to load them. An error is reported where
 * they are used.
 */
function loadInAdvance(roles: Roles): void {
  loadDomain().catch(() => {});
  if (roles.serve) loadServer().catch(() => {});
}

/** Leaves time for the first requests. */
const releaseMemoryAfterMs = 1000;

/** The roles of this process. */
export interface Roles {
  /** Answers HTTP. */
  serve: boolean;
  /** Takes jobs from the queue. */
  work: boolean;
  /** Migrates the operator's database too, and fills an empty embedded one with a demo tenant. */
  prepare: boolean;
}

/**
 * Runs the service until a shutdown is requested, then ends the process: in several processes, if it serves HTTP and
 * WEB_CONCURRENCY is above 1.
 */
export async function runService(config: Config, roles: Roles): Promise<never> {
  const log = createLog(config.logLevel);
  if (cluster.isPrimary) await clearTemporaryFolders();
  if (!roles.serve || config.webConcurrency === 1) await runAlone(config, roles, log);
  else if (cluster.isPrimary) await runCluster(config, roles, log);
  else await runChild(config, log);
  // Lines that wait would be written after the last one. The error that a pipe can't be synced comes after they are written.
  await new Promise<void>((resolve) => log.flush(() => resolve()));
  if (cluster.isPrimary) print('Stopped.');
  // All parts are stopped. Without a database, graphile-worker still waits to try again, for up to two minutes.
  process.exit();
}

/** One of several processes. */
async function runChild(config: Config, log: Logger): Promise<void> {
  const role = processRole();
  await runProcess(config, { serve: role === 'serve', work: role === 'work', prepare: false }, log, async (address) => {
    sendToPrimary({ up: address });
  });
  const disconnected = once(process, 'disconnect');
  cluster.worker?.disconnect();
  await disconnected;
}

async function runAlone(config: Config, roles: Roles, log: Logger): Promise<void> {
  await runProcess(config, roles, log, async (address, demo) => {
    if (!roles.serve) print('Kontor works on the queue.');
    else if (roles.prepare) await greet(address, demo, config.dataDir);
    else print(`Kontor answers at ${address}`);
  });
}

/** Runs the parts of a process. Each part is stopped after the parts that need it. */
async function runProcess(
  config: Config,
  roles: Roles,
  log: Logger,
  onUp: (address: string, demo: Demo | undefined) => Promise<void>,
): Promise<void> {
  const stopping: (() => Promise<unknown>)[] = [];
  try {
    // The queue needs direct connections: a process that works on it connects to PostgreSQL itself for everything.
    const throughPooler = !roles.work;
    const database = await openDatabase(config, {
      report: printError,
      migrating: roles.prepare,
      throughPooler,
      onStarting: () => loadInAdvance(roles),
    });
    stopping.push(database.close);
    const unfollow = await followDatabaseClock(database.pool);
    stopping.push(async () => unfollow());
    if (!cluster.isWorker && (roles.work || config.databaseDirectUrl === null))
      await warnOfShortage(database, config, 1);
    // A database that doesn't answer yet is checked later: see /health/ready.
    const problem = await findSettingsProblem(database.pool).catch(() => undefined);
    if (problem !== undefined) throw new Error(problem);
    const metrics = await measure(config, database);
    database.workers.observe((worker, isAway) => {
      if (isAway) log.error({ worker }, 'a worker of Citus does not answer');
      else log.info({ worker }, 'a worker of Citus answers again');
    });
    const tracing = config.traces
      ? (await import('../../observability/tracing.ts')).startTracing(config.trustedProxies)
      : undefined;
    if (tracing) stopping.push(tracing.close);
    const stopLogging = config.slowQueryMs > 0 ? logSlowStatements(log, config.slowQueryMs) : undefined;
    stopping.push(async () => stopLogging?.());
    const expose = async (): Promise<string> =>
      cluster.isWorker ? clusterMetrics() : ((await metrics?.registry.metrics()) ?? '');
    const publicAddress = { url: config.publicUrl ?? '' };
    const { keyring, webhooks, domain, demo } = await createServices(config, roles, database, publicAddress);
    stopping.push(async () => demo?.close());
    let { metricsToken } = config;
    const watch = watchSecrets(database.pool, keyring, log, (changed) => ({ metricsToken } = changed));
    stopping.push(async () => watch.stop());

    if (roles.work) {
      const { startWorker } = await import('../../jobs/worker.ts');
      const anchorKey = () => readAnchorKey(config, keyring.encrypting.key.secret);
      const settings = { ...config, keyring, anchorKey };
      const worker = await startWorker(database, domain, webhooks, settings, log, metrics);
      stopping.push(worker.stop);
      stopping.push(await backUpBySchedule(config, database, keyring, webhooks, log, metrics));
      if (!roles.serve && cluster.isPrimary) stopping.push(await serveHealth(config, database, keyring, worker));
    }
    if (roles.serve) {
      const { limiter, release } = await claimRateLimiter(config, database, roles.work);
      stopping.push(release);
      const { client, pool, unready, impaired } = database;
      const checkSecret = createCheck(() => findSecretProblem(pool, keyring));
      const notifications = createNotifications(database.url, database.workers);
      const shutdown = new GracefulShutdown();
      const { createServer } = await loadServer();
      const server = createServer({
        client,
        pool,
        limiter: limiter && (metrics?.limiter(limiter) ?? limiter),
        notifications,
        domain,
        log,
        secret: keyring,
        corsOrigins: config.corsOrigins,
        introspection: config.graphqlIntrospection,
        sessionTrustedDocuments: config.sessionTrustedDocuments,
        timeouts: { ...defaultTimeouts, keepAliveMs: config.keepAliveMs },
        trustedProxies: config.trustedProxies,
        connections: defaultLimits(config.trustedProxies, config.connectionsPerAddress),
        maxResponseBytes: config.maxResponseBytes,
        publicAddress,
        unready: shutdown.unready(async () => (await unready()) ?? (await checkSecret())),
        impaired,
        metrics,
        tracing,
        shutdown,
        ...(config.metricsToken !== null && { metricsHandler: createMetricsHandler(expose, () => metricsToken) }),
      });
      const { address, close } = await listen(server, { ...config, sockets: socketsForClients });
      if (config.publicUrl === null) publicAddress.url = address;
      // Streams are closed first, because the server would wait for them.
      stopping.push(close, notifications.close, () => shutdown.begin(config.drainMs));
    }
    await fillDemo(demo);
    // Before it is said that the service is up, because a signal may follow at once.
    const stopped = shutdownRequested();
    await onUp(publicAddress.url, demo);
    setTimeout(releaseStartupMemory, releaseMemoryAfterMs).unref();
    if (cluster.isPrimary) stopping.push(await serveMetrics(config, expose));
    await stopped;
  } finally {
    for (const stop of stopping.toReversed()) await stop();
  }
}

/** Prepares the database, and keeps it running while worker processes start and end: see ipc.ts. */
async function runCluster(config: Config, roles: Roles, log: Logger): Promise<void> {
  const stopping: (() => Promise<unknown>)[] = [];
  try {
    const database = await openDatabase(config, {
      report: printError,
      migrating: roles.prepare,
      onStarting: () => loadInAdvance({ ...roles, serve: false }),
    });
    stopping.push(database.close);
    await warnOfShortage(database, config, config.webConcurrency + (roles.work ? 1 : 0));
    const { demo } = await createServices(config, roles, database, { url: config.publicUrl ?? '' });
    stopping.push(async () => demo?.close());
    const { startCluster } = await import('../../processes/primary.ts');
    const stopped = shutdownRequested();
    const workers = startCluster({ gateways: config.webConcurrency, works: roles.work }, log, stopped);
    stopping.push(workers.stop);
    const address = await Promise.race([workers.address, stopped]);
    if (address !== undefined) {
      await fillDemo(demo);
      if (roles.prepare) await greet(config.publicUrl ?? address, demo, config.dataDir);
      else print(`Kontor answers at ${config.publicUrl ?? address}`);
      stopping.push(await serveMetrics(config, workers.metrics));
      await stopped;
    }
  } finally {
    for (const stop of stopping.toReversed()) await stop();
  }
}

async function warnOfShortage({ pool }: Database, config: Config, processes: number): Promise<void> {
  const shortage = await findConnectionShortage(pool, config, processes).catch(() => undefined);
  if (shortage !== undefined) printError(shortage);
}

/** Creates the domain on a database, and the demo tenant if this start makes one. */
async function createServices(config: Config, roles: Roles, database: Database, publicAddress: PublicAddress) {
  const keyring = await readKeyring(config, database);
  const webhooks = createWebhooks({ secret: keyring, allowInsecure: config.webhookAllowInsecure });
  const { createDomain } = await loadDomain();
  const domain = createDomain(database, webhooks, publicAddress, await openStorage(config), undefined, config);
  if (!roles.prepare || !database.embedded) return { keyring, webhooks, domain };
  const { makeDemoTenant } = await import('../../demo/demo-data.ts');
  return { keyring, webhooks, domain, demo: await makeDemoTenant(database, domain, config.dataDir) };
}

/** Fills the demo tenant's books, while requests are served already. */
async function fillDemo(demo: Demo | undefined): Promise<void> {
  if (!demo) return;
  printError("Filling the demo tenant's books");
  await demo.fill();
  await demo.close();
}

/** Creates the metrics. Without an endpoint for them, nothing is loaded or counted. */
async function measure(
  { metricsPort, metricsToken, backups }: Config,
  database: Database,
): Promise<Metrics | undefined> {
  if (metricsPort === null && metricsToken === null) return undefined;
  const { createMetrics } = await import('../../observability/metrics/metrics.ts');
  const { measureDatabase } = await import('../../observability/metrics/database.ts');
  const metrics = createMetrics();
  measureDatabase(metrics, database);
  if (backups !== null) {
    const { listBackups } = await import('../../backup/backup-folder.ts');
    metrics.lastBackup(async () => (await listBackups(backups.folder, currentTime()))[0]?.at);
  }
  reportMetricsToPrimary(() => metrics.registry.getMetricsAsJSON());
  return metrics;
}

/**
 * Backs the embedded database up, if the settings say so.
 * @returns a function that stops it
 */
async function backUpBySchedule(
  config: Config,
  { pool, url, forBackups }: Database,
  keyring: Keyring,
  webhooks: WebhookSettings,
  log: Logger,
  metrics: Metrics | undefined,
): Promise<() => Promise<void>> {
  const { backups: setting, dataDir } = config;
  if (setting === null || forBackups === null) return async () => {};
  const { startBackups } = await import('../../jobs/backups.ts');
  const files = await openStorage(config);
  const readSecret = (): Promise<string> => readPresentSecret(pool, keyring);
  return startBackups({ setting, url, ...forBackups, dataDir, readSecret, webhooks, files, log, metrics }).stop;
}

/**
 * Answers a worker's probes.
 * @returns a function that stops the server
 */
async function serveHealth(
  { host, healthPort }: Config,
  { pool, unready, impaired }: Database,
  keyring: Keyring,
  worker: Pick<Worker, 'unready'>,
): Promise<() => Promise<void>> {
  if (healthPort === null) return async () => {};
  const checkSecret = createCheck(() => findSecretProblem(pool, keyring));
  const isUnready = async () => (await unready()) ?? (await checkSecret()) ?? worker.unready();
  const server = createHealthServer({ unready: isUnready, impaired });
  const { address, close } = await listen(server, { host, port: healthPort, variable: 'HEALTH_PORT' });
  print(`Health is at ${address}/health/ready`);
  return close;
}

/** @returns a function that stops the server */
async function serveMetrics({ metricsHost, metricsPort }: Config, expose: Exposition): Promise<() => Promise<void>> {
  if (metricsPort === null) return async () => {};
  const server = createMetricsServer(expose);
  const { address, close } = await listen(server, { host: metricsHost, port: metricsPort, variable: 'METRICS_PORT' });
  print(`Metrics are at ${address}/metrics`);
  return close;
}
