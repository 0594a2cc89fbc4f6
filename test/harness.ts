import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool, type PoolClient } from 'pg';
import { pino } from 'pino';
import { inject } from 'vitest';
import { clusterUrl, runOn } from './citus/cluster.ts';
import { sendRequest } from './send-request.ts';
import { currentTime } from '../prisma/clock.ts';
import {
  connect,
  forTenant,
  openBooks,
  type Holder,
  type Books,
  type TenantClient,
  type UnscopedClient,
  withHolder,
} from '../prisma/client.ts';
import { Workers } from '../prisma/distribute/workers.ts';
import { ConnectionPool } from '../prisma/connection/connection.ts';
import { declareDistributed } from '../prisma/distribute/distributed.ts';
import { applySessionSettings, replaceBrokenConnections } from '../prisma/connection/pool-options.ts';
import { ActingConnection } from '../prisma/connection/sender.ts';
import { UnnamedStatements } from '../prisma/connection/pooler.ts';
import { splitStatements } from '../prisma/migrate/split-statements.ts';
import type { Context } from '../schema/graphql/context.ts';
import type { FileStorage } from '../schema/graphql/file-storage.ts';
import { createFolderStorage } from '../src/storage/folder-storage.ts';
import { createNotifications } from '../src/notifications/notifications.ts';
import { createDomain, type Domain } from '../src/domain.ts';
import { startOutbox } from '../src/jobs/queue/outbox.ts';
import { createTenant, createToken, createUser } from '../src/identity/index.ts';
import type { Metrics } from '../src/observability/metrics/metrics.ts';
import { serializers } from '../src/observability/log.ts';
import { logSlowStatements } from '../src/observability/slow-statements.ts';
import type { ConnectionLimits } from '../src/server/http/connections.ts';
import { defaultTimeouts, type HttpTimeouts } from '../src/server/http/timeouts.ts';
import type { RateLimiter } from '../src/security/rate-limit.ts';
import { createServer, type ServerOptions } from '../src/server/server.ts';
import { checkDetails } from './problem-details.ts';
import { createWebhooks, type WebhookSettings } from '../src/webhooks/webhooks.ts';

export interface Database {
  url: string;
  drop(): Promise<void>;
}

/** The servers that have a test's database: one, or a coordinator of Citus and its workers. */
const servers = (): string[] => [inject('serverUrl'), ...inject('workerUrls')];

/**
 * Drops a database. A pool ends before PostgreSQL has closed its connections. If PostgreSQL terminates such a connection,
 * it emits an unhandled error. So this waits until they are closed, but not forever for one that a test left open.
 */
async function dropDatabase(name: string): Promise<void> {
  const open = `select from pg_stat_activity where datname = '${name}' and application_name not like 'Citus%'`;
  for (let left = 100; left > 0; left -= 1) {
    if ((await runOn(inject('serverUrl'), 'postgres', open)).length === 0) break;
    await sleep(20);
  }
  for (const server of servers()) await runOn(server, 'postgres', `drop database ${name} with (force)`);
}

async function makeDatabase(template: string): Promise<Database> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // By files it takes half the time of the default, which writes every block to the write-ahead log.
  const create = `create database ${name} template ${template} strategy file_copy`;
  for (const server of servers()) await runOn(server, 'postgres', create);
  // Tests make triggers of their own, which Citus refuses otherwise.
  if (clusterUrl !== undefined)
    await runOn(inject('serverUrl'), 'postgres', `alter database ${name} set citus.enable_unsafe_triggers = on`);
  return {
    url: new URL(`/${name}`, inject('serverUrl')).href,
    drop: () => dropDatabase(name),
  };
}

/** A new empty database. */
export const createEmptyDatabase = (): Promise<Database> => makeDatabase('template0');

/** A new migrated database. */
export async function createDatabase(): Promise<Database> {
  const database = await makeDatabase('template_kontor');
  if (gateway.distributed) await distributeInName(database);
  return database;
}

/** Has triggers and connections on plain PostgreSQL work as on several servers. */
export async function distributeInName({ url }: Pick<Database, 'url'>): Promise<void> {
  const pool = new ConnectionPool({ connectionString: url, max: 1 });
  await declareDistributed(pool).finally(() => pool.end());
}

/** Runs several statements one after the other, as Citus demands of statements that change tables. */
export async function runScript({ pool }: Pick<Service, 'pool'>, script: string): Promise<void> {
  for (const statement of splitStatements(script)) await pool.query(statement);
}

/**
 * Runs statements in a transaction in which no trigger fires: to make many rows in a short time, rows of another time, or what
 * only a superuser could do.
 */
export async function withoutTriggers<T>(
  { pool }: Pick<Service, 'pool'>,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    if (clusterUrl !== undefined) await client.query(`set local citus.propagate_set_commands = 'local'`);
    await client.query('set local session_replication_role = replica');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Runs SQL on each server that has a service's database. @returns the rows of all */
export async function onEachServer({ pool }: Pick<Service, 'pool'>, sql: string): Promise<Record<string, unknown>[]> {
  const database = new URL(pool.options.connectionString ?? '').pathname.slice(1);
  const here = await pool.query<Record<string, unknown>>(sql);
  const onWorkers = await Promise.all(inject('workerUrls').map((worker) => runOn(worker, database, sql)));
  return [here.rows, ...onWorkers].flat();
}

/**
 * Holds an advisory lock on each server that has a service's database, where triggers of the tests wait for it.
 * @returns what gives it back
 */
export async function holdLock({ pool }: Pick<Service, 'pool'>, key: number): Promise<() => Promise<void>> {
  const database = new URL(pool.options.connectionString ?? '').pathname;
  const holders = servers().map((server) => new Client({ connectionString: new URL(database, server).href }));
  for (const holder of holders) {
    await holder.connect();
    await holder.query('select pg_advisory_lock($1)', [key]);
  }
  return async () => void (await Promise.all(holders.map((holder) => holder.end())));
}

export interface Answer {
  status: number;
  headers: Headers;
  // JSON from the server: the tests check its shape.
  // eslint-disable-next-line typescript/no-explicit-any
  body: any;
  text: string;
}

/** A user of a tenant with a token, and both APIs with this token. */
export interface Integrator {
  tenantId: string;
  userId: string;
  token: string;
  tokenId: string;
  /** The tenant's tables, to create and inspect rows directly. */
  db: TenantClient;
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** `data` of an answer without errors; throws the errors otherwise. */
  // eslint-disable-next-line typescript/no-explicit-any
  graphql(query: string, variables?: object): Promise<any>;
  /** The raw answer of the GraphQL API. */
  graphqlAnswer(query: string, variables?: object): Promise<Answer>;
}

export interface Service {
  url: string;
  client: UnscopedClient;
  books: Books;
  pool: Pool;
  workers: Workers;
  /** Everything logged so far. */
  log: string[];
  domain: Domain;
  webhooks: WebhookSettings;
  fileStorage: FileStorage;
  /** `now` stops the service's clock at that time. */
  clock: { now: Date | undefined };
  integrator(tenant?: {
    name?: string;
    timezone?: string;
    currency?: string;
    country?: string;
    abilities?: string[];
  }): Promise<Integrator>;
  /** The context of a request of this user, to call the domain directly. */
  contextOf(who: Pick<Integrator, 'tenantId' | 'userId'>): Promise<Context>;
  request(method: string, path: string, init?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
  close(): Promise<void>;
}

/** A function that sends requests to a server. A body is sent as JSON, and a string unchanged. */
export const requesting =
  (url: string): Service['request'] =>
  async (method, path, { body, headers } = {}) => {
    const {
      status,
      headers: received,
      text,
    } = await sendRequest(
      new URL(path, url),
      method,
      { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      typeof body === 'string' ? body : JSON.stringify(body),
    );
    const isJson = /json(?!l)/.test(received.get('content-type') ?? '') && text !== '';
    const answer: unknown = isJson ? JSON.parse(text) : undefined;
    checkDetails(answer);
    return { status, headers: received, body: answer, text };
  };

/**
 * How tests reach their databases. `through` gives the URL of a pooler in transaction mode for a database's URL, if tests
 * run behind a pooler. With `distributed`, as on a cluster, every new database says that its books are distributed.
 */
export const gateway: { through?: (databaseUrl: string) => string; distributed?: boolean } = {
  distributed: clusterUrl !== undefined,
};

/** Whether tests run a second time, to reach their databases in another way. What needs no other statement is left out then. */
export const isSecondRun = (): boolean =>
  gateway.through !== undefined || (gateway.distributed === true && clusterUrl === undefined);

/** Readiness of a service that has no fault. */
export const ready = { unready: async () => undefined, impaired: async () => undefined };

/** Starts the service over HTTP, by default on a new database and without a rate limit. */
export async function startService(
  options: {
    limiter?: (pool: Pool) => RateLimiter;
    corsOrigins?: string[];
    introspection?: boolean;
    sessionTrustedDocuments?: boolean;
    timeouts?: HttpTimeouts;
    trustedProxies?: number;
    /** Replaces webhooks that may have any address. */
    webhooks?: WebhookSettings;
    connections?: ConnectionLimits;
    maxResponseBytes?: number;
    /** The public URL, by default the address where the service listens. */
    publicUrl?: string;
    database?: Database;
    /** Replaces a folder of this service's own. */
    fileStorage?: FileStorage;
    /** Replaces the service's pool of tenant connections. */
    books?: Books;
    /** Leaves the time limits of statements and transactions to the database's own settings. */
    limitsOfDatabase?: boolean;
    metrics?: Metrics;
    metricsHandler?: ServerOptions['metricsHandler'];
    readiness?: Pick<ServerOptions, 'impaired'>;
    /** From how many milliseconds on statements are logged as slow. Default: none. */
    slowQueryMs?: number;
    /** On a cluster, the service moves the outbox as a worker does, unless the tests do. */
    movesOutbox?: boolean;
  } = {},
): Promise<Service> {
  const database = options.database ?? (await createDatabase());
  const connections = { connectionString: gateway.through?.(database.url) ?? database.url, max: 10 };
  const pool = new ConnectionPool({ ...connections, Client: gateway.through ? UnnamedStatements : ActingConnection });
  replaceBrokenConnections(pool);
  const client = connect(pool);
  const workers = new Workers(pool);
  const limitsOfDatabase = gateway.through !== undefined || options.limitsOfDatabase === true;
  const booksOptions = limitsOfDatabase ? connections : { ...connections, onConnect: applySessionSettings };
  const books = options.books ?? openBooks(booksOptions, gateway.through ? 'transaction' : 'session', workers);
  const log: string[] = [];
  const logger = pino({ level: 'info', serializers }, { write: (line: string) => void log.push(line) });
  const { slowQueryMs } = options;
  const stopLogging = slowQueryMs === undefined ? undefined : logSlowStatements(logger, slowQueryMs);
  const clock: Service['clock'] = { now: undefined };
  const secret = 'the secret of the tests, long enough';
  const webhooks = options.webhooks ?? createWebhooks({ secret, allowInsecure: true });
  const now = (): Date => clock.now ?? currentTime();
  const publicAddress = { url: options.publicUrl ?? '' };
  const filesFolder = join(tmpdir(), `kontor-test-files-${randomUUID()}`);
  const fileStorage = options.fileStorage ?? createFolderStorage(filesFolder);
  const domain = createDomain({ client, books }, webhooks, publicAddress, fileStorage, now);
  const notifications = createNotifications(database.url, workers);
  const movesOutbox = gateway.distributed && options.movesOutbox !== false;
  const outbox = movesOutbox ? startOutbox(pool, pino({ level: 'silent' }), workers) : undefined;
  const limiter = options.limiter?.(pool);
  const server = createServer({
    client,
    pool,
    notifications,
    limiter: limiter && (options.metrics?.limiter(limiter) ?? limiter),
    metrics: options.metrics,
    metricsHandler: options.metricsHandler,
    domain,
    log: logger,
    secret,
    corsOrigins: options.corsOrigins ?? [],
    introspection: options.introspection ?? true,
    sessionTrustedDocuments: options.sessionTrustedDocuments ?? false,
    timeouts: options.timeouts ?? defaultTimeouts,
    trustedProxies: options.trustedProxies ?? 0,
    ...(options.connections && { connections: options.connections }),
    ...(options.maxResponseBytes !== undefined && { maxResponseBytes: options.maxResponseBytes }),
    publicAddress,
    ...ready,
    ...options.readiness,
    now,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (options.publicUrl === undefined) publicAddress.url = url;

  const request = requesting(url);

  return {
    url,
    client,
    books,
    pool,
    workers,
    log,
    domain,
    webhooks,
    fileStorage,
    clock,
    request,
    integrator: async ({ name = 'Acme', abilities, ...tenantOptions } = {}) => {
      const tenant = await createTenant(client, { name, ...tenantOptions });
      const user = await createUser(client, { email: `${randomUUID()}@example.com`, tenantId: tenant.id });
      const { id, token } = await createToken(client, { tenantId: tenant.id, ...(abilities && { abilities }) });
      return asIntegrator({ request, books }, { tenantId: tenant.id, userId: user.id, token, tokenId: id });
    },
    contextOf: async ({ tenantId, userId }) => {
      const tenant = await client.tenant.findUniqueOrThrow({ where: { id: tenantId } });
      const user = await client.user.findUniqueOrThrow({ where: { id: userId } });
      return domain.contextFor({ user, tenant: withHolder(tenant), token: null });
    },
    close: async () => {
      await outbox?.stop();
      stopLogging?.();
      await notifications.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await books.close();
      await client.$disconnect();
      await workers.close();
      await pool.end();
      await rm(filesFolder, { recursive: true, force: true });
      if (!options.database) await database.drop();
    },
  };
}

/** A tenant that is no test tenant, as the service knows it. */
export const asTenant = ({ tenantId: id }: Pick<Integrator, 'tenantId'>): { id: string; holder: Holder } =>
  withHolder({ id, testOf: null });

export function asIntegrator(
  { request, books }: Pick<Service, 'request' | 'books'>,
  who: Pick<Integrator, 'tenantId' | 'userId' | 'token' | 'tokenId'>,
): Integrator {
  const authorization = `Bearer ${who.token}`;
  const graphqlAnswer: Integrator['graphqlAnswer'] = (query, variables) =>
    request('POST', '/graphql', { body: { query, variables }, headers: { authorization } });
  return {
    ...who,
    db: forTenant(books, who.tenantId),
    rest: (method, path, body, headers) =>
      request(method, `/api/v1${path}`, { body, headers: { authorization, ...headers } }),
    graphqlAnswer,
    graphql: async (query, variables) => {
      const { body } = await graphqlAnswer(query, variables);
      if (body?.errors) throw new Error(JSON.stringify(body.errors));
      return body.data;
    },
  };
}
