import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { addressOf, readConfig, type Config } from '../config.ts';
import { openDatabase, type Database } from '../database.ts';
import { createDeliveryChanges } from '../delivery-changes.ts';
import { createDomain } from '../domain.ts';
import { makeDemoTenant, type Demo } from '../demo-data.ts';
import { keptSecret } from '../kept-secret.ts';
import { answerMetrics, createMetricsServer } from '../metrics/endpoint.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { say, tell } from '../output.ts';
import { createServer } from '../server.ts';
import { claimServing } from '../serving.ts';
import { untilStopped } from '../stopping.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';
import { startWorker } from '../worker.ts';

/** How long requests in flight may take to finish once we are told to stop. */
const graceMs = 10_000;
/** How long a port may still be held by the process we replace. */
const portPatienceMs = 10_000;

/** What this process is for. */
export interface Roles {
  /** Answers HTTP. */
  serve: boolean;
  /** Takes jobs from the queue. */
  work: boolean;
  /** Migrates the operator's database too, and fills an empty embedded one with a demo tenant. */
  prepare: boolean;
}

/** Runs the service until it is told to stop. Each part is stopped after those that need it. */
export async function runService(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const stopping: (() => Promise<unknown>)[] = [];
  try {
    // The queue needs connections of its own: who works on it goes to PostgreSQL itself with all else too.
    const throughPooler = !roles.work;
    const database = await openDatabase(config, { report: tell, migrating: roles.prepare, throughPooler });
    stopping.push(database.close);
    const metrics = await measure(config, database);
    const expose = async (): Promise<string> => (await metrics?.registry.metrics()) ?? '';
    const secret = config.secret ?? (await keptSecret(config.dataDir));
    const webhooks = createWebhooks({ secret, allowInsecure: config.webhookAllowInsecure });
    let address = '';
    const publicUrl = (): string => config.publicUrl ?? address;
    const domain = createDomain(database, webhooks, publicUrl);
    const demo = roles.prepare && database.embedded ? await makeDemoTenant(database, domain) : undefined;

    let failed: Promise<void> = new Promise(() => {});
    if (roles.work) {
      const worker = await startWorker(database, domain, webhooks, config, log, metrics);
      stopping.push(worker.stop);
      failed = worker.done;
    }
    if (roles.serve) {
      const { limiter, release } = await claimServing(config, database, roles.work);
      stopping.push(release);
      const { client, pool, unready } = database;
      const changes = createDeliveryChanges(database.url);
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
        publicUrl,
        unready,
        metrics,
        ...(config.metricsToken !== null && { answerMetrics: answerMetrics(expose, config.metricsToken) }),
      });
      address = await listen(server, config);
      stopping.push(() => closeServer(server), changes.close); // streams first: they would hold the server up
      if (roles.prepare) greet(publicUrl(), demo);
      else say(`Kontor answers at ${publicUrl()}`);
    } else say('Kontor works on the queue.');
    if (config.metricsPort !== null) {
      const server = createMetricsServer(expose);
      const at = await listen(server, { host: config.metricsHost, port: config.metricsPort });
      stopping.push(() => closeServer(server));
      say(`Metrics are at ${at}/metrics`);
    }
    await Promise.race([untilStopped(), failed]);
  } finally {
    for (const stop of stopping.toReversed()) await stop();
  }
  say('Stopped.');
}

/** Nothing is counted, nor loaded that counts, unless somebody may ask for it. */
async function measure({ metricsPort, metricsToken }: Config, database: Database): Promise<Metrics | undefined> {
  if (metricsPort === null && metricsToken === null) return undefined;
  const { createMetrics } = await import('../metrics/metrics.ts');
  const { measureDatabase } = await import('../metrics/database.ts');
  const metrics = createMetrics();
  measureDatabase(metrics, database);
  return metrics;
}

async function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  const giveUp = Date.now() + portPatienceMs;
  for (;;) {
    try {
      server.listen(port, host);
      await once(server, 'listening');
      const { port: actual } = server.address() as AddressInfo;
      return addressOf(host, actual);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE')
        throw new Error(`Can't listen on ${host}:${port}: ${(error as Error).message}`, { cause: error });
      if (Date.now() > giveUp)
        throw new Error(`Port ${port} on ${host} is taken: stop who has it, or set PORT`, { cause: error });
      await sleep(200);
    }
  }
}

/** Takes no new requests, lets those in flight finish, and then closes what is left. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(force);
}

function greet(url: string, demo: Demo | undefined): void {
  say('');
  say('Kontor is running.');
  say('');
  say(`  Dashboard  ${url}/`);
  say(`  Guides     ${url}/docs/quick-start`);
  say(`  REST       ${url}/api/v1`);
  say(`  GraphQL    ${url}/graphql`);
  say(`  Health     ${url}/health/ready`);
  if (demo) {
    say('');
    say('A demo tenant was made. Shown this once:');
    say('');
    say(`  Login      ${demo.email}`);
    say(`  Password   ${demo.password}`);
    say(`  API token  ${demo.token}`);
    say('');
    say('A first request:');
    say('');
    say(`  curl -s -H 'Authorization: Bearer ${demo.token}' '${url}/api/v1/invoices?status=issued'`);
  } else {
    say('');
    say('For a new API token: npm run -s kontor -- tenant list, then npm run -s kontor -- token create --tenant ID');
  }
  say('');
  say('Ctrl-C stops everything.');
  say('');
}
