import cluster from 'node:cluster';
import { pino, type Logger } from 'pino';
import { readConfig, type Config } from '../config.ts';
import { openDatabase, type Database } from '../database.ts';
import { createDeliveryChanges } from '../graphql/delivery-changes.ts';
import { createDomain } from '../domain.ts';
import { usualLimits } from '../http/connections.ts';
import { Farewell } from '../processes/farewell.ts';
import { makeDemoTenant, type Demo } from '../demo-data.ts';
import { countForParent, familyMetrics, roleHere, tellParent } from '../processes/family.ts';
import { keptSecret } from '../kept-secret.ts';
import { answerMetrics, createMetricsServer, type Exposition } from '../metrics/endpoint.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { say, tell } from '../output.ts';
import { clearTemporaryFolders } from '../../schema/input/temporary-folder.ts';
import { createServer } from '../server.ts';
import { claimServing } from '../processes/serving.ts';
import { untilStopped } from '../processes/stopping.ts';
import { tidyUp } from '../processes/tidy-up.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';
import { startWorker } from '../jobs/worker.ts';
import { greet } from './greet.ts';
import { closeServer, listen } from './listening.ts';

/** Long enough for those who waited for the start to have their answers. */
const tidyUpAfterMs = 1000;

/** What this process is for. */
export interface Roles {
  /** Answers HTTP. */
  serve: boolean;
  /** Takes jobs from the queue. */
  work: boolean;
  /** Migrates the operator's database too, and fills an empty embedded one with a demo tenant. */
  prepare: boolean;
}

/** Runs the service until it is told to stop; in several processes, where it serves and WEB_CONCURRENCY says so. */
export async function runService(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  if (cluster.isPrimary) await clearTemporaryFolders();
  if (!roles.serve || config.webConcurrency === 1) return runAlone(config, roles, log);
  if (cluster.isPrimary) return runFamily(config, roles, log);
  const role = roleHere();
  await runPart(config, { serve: role === 'serve', work: role === 'work', prepare: false }, log, async (address) => {
    tellParent({ up: address });
  });
  cluster.worker?.disconnect();
}

async function runAlone(config: Config, roles: Roles, log: Logger): Promise<void> {
  await runPart(config, roles, log, async (address, demo) => {
    if (!roles.serve) say('Kontor works on the queue.');
    else if (roles.prepare) await greet(address, demo, config.dataDir);
    else say(`Kontor answers at ${address}`);
  });
  say('Stopped.');
}

/** What a process does. Each part is stopped after those that need it. */
async function runPart(
  config: Config,
  roles: Roles,
  log: Logger,
  onUp: (address: string, demo: Demo | undefined) => Promise<void>,
): Promise<void> {
  const stopping: (() => Promise<unknown>)[] = [];
  try {
    // The queue needs connections of its own: who works on it goes to PostgreSQL itself with all else too.
    const throughPooler = !roles.work;
    const database = await openDatabase(config, { report: tell, migrating: roles.prepare, throughPooler });
    stopping.push(database.close);
    const metrics = await measure(config, database);
    const tracing = config.traces ? (await import('../tracing.ts')).startTracing() : undefined;
    if (tracing) stopping.push(tracing.close);
    const expose = async (): Promise<string> =>
      cluster.isWorker ? familyMetrics() : ((await metrics?.registry.metrics()) ?? '');
    let address = '';
    const publicUrl = (): string => config.publicUrl ?? address;
    const { secret, webhooks, domain, demo } = await furnish(config, roles, database, publicUrl);

    if (roles.work) {
      const worker = await startWorker(database, domain, webhooks, config, log, metrics);
      stopping.push(worker.stop);
    }
    if (roles.serve) {
      const { limiter, release } = await claimServing(config, database, roles.work);
      stopping.push(release);
      const { client, pool, unready } = database;
      const changes = createDeliveryChanges(database.url);
      const farewell = new Farewell();
      const server = createServer({
        client,
        pool,
        limiter: metrics?.limiter(limiter) ?? limiter,
        changes,
        domain,
        log,
        secret,
        corsOrigins: config.corsOrigins,
        introspection: config.graphqlIntrospection,
        trustedProxies: config.trustedProxies,
        connections: usualLimits(config.trustedProxies, config.connectionsPerAddress),
        publicUrl,
        unready: farewell.unready(unready),
        metrics,
        tracing,
        ...(config.metricsToken !== null && { answerMetrics: answerMetrics(expose, config.metricsToken) }),
      });
      farewell.watch(server);
      address = await listen(server, config);
      // Streams before the rest: they would hold the server up.
      stopping.push(
        () => closeServer(server),
        changes.close,
        () => farewell.begin(config.drainMs),
      );
    }
    await fillDemo(demo);
    await onUp(publicUrl(), demo);
    setTimeout(tidyUp, tidyUpAfterMs).unref();
    if (cluster.isPrimary) stopping.push(await serveMetrics(config, expose));
    await untilStopped();
  } finally {
    for (const stop of stopping.toReversed()) await stop();
  }
}

/** Prepares the database, and keeps it while children do the work, who come and go: see family.ts. */
async function runFamily(config: Config, roles: Roles, log: Logger): Promise<void> {
  const stopping: (() => Promise<unknown>)[] = [];
  try {
    const database = await openDatabase(config, { report: tell, migrating: roles.prepare });
    stopping.push(database.close);
    const { demo } = await furnish(config, roles, database, () => config.publicUrl ?? '');
    const { raise } = await import('../processes/parent.ts');
    const told = untilStopped();
    const family = raise(config.webConcurrency, roles.work, log);
    stopping.push(family.stop);
    const address = await Promise.race([family.address, told]);
    if (address !== undefined) {
      await fillDemo(demo);
      if (roles.prepare) await greet(config.publicUrl ?? address, demo, config.dataDir);
      else say(`Kontor answers at ${config.publicUrl ?? address}`);
      stopping.push(await serveMetrics(config, family.metrics));
      await told;
    }
  } finally {
    for (const stop of stopping.toReversed()) await stop();
  }
  say('Stopped.');
}

/** The domain on a database, which gets its demo tenant if it is to have one. */
async function furnish(config: Config, roles: Roles, database: Database, publicUrl: () => string) {
  const secret = config.secret ?? (await keptSecret(config.dataDir));
  const webhooks = createWebhooks({ secret, allowInsecure: config.webhookAllowInsecure });
  const domain = createDomain(database, webhooks, publicUrl);
  const demo = roles.prepare && database.embedded ? await makeDemoTenant(database, domain) : undefined;
  return { secret, webhooks, domain, demo };
}

/** Fills the demo tenant's books, while requests are answered already. */
async function fillDemo(demo: Demo | undefined): Promise<void> {
  if (!demo) return;
  tell("Filling the demo tenant's books");
  await demo.fill();
}

/** Nothing is counted, nor loaded that counts, unless somebody may ask for it. */
async function measure({ metricsPort, metricsToken }: Config, database: Database): Promise<Metrics | undefined> {
  if (metricsPort === null && metricsToken === null) return undefined;
  const { createMetrics } = await import('../metrics/metrics.ts');
  const { measureDatabase } = await import('../metrics/database.ts');
  const metrics = createMetrics();
  measureDatabase(metrics, database);
  countForParent(() => metrics.registry.getMetricsAsJSON());
  return metrics;
}

/** @returns what stops it */
async function serveMetrics({ metricsHost, metricsPort }: Config, expose: Exposition): Promise<() => Promise<void>> {
  if (metricsPort === null) return async () => {};
  const server = createMetricsServer(expose);
  const address = await listen(server, { host: metricsHost, port: metricsPort });
  say(`Metrics are at ${address}/metrics`);
  return () => closeServer(server);
}
