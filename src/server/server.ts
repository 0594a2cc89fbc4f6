import { createServer as createHttpServer, type Server } from 'node:http';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { UnscopedClient } from '../../prisma/client.ts';
import { describeApi } from '../../rest-shim/openapi/document.ts';
import { routes } from '../../rest-shim/routes.ts';
import { printSdl } from '../../schema/graphql/print-sdl.ts';
import { createAuthRoutes } from './auth/routes.ts';
import { defaultMaxAnswerBytes } from '../config/config.ts';
import { AnswerMemory } from './http/answer-memory.ts';
import { BoundedLog } from './http/bounded-log.ts';
import { Connections, defaultLimits, type ConnectionLimits } from './http/connections.ts';
import { answerCors } from './http/cors.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Domain } from '../domain.ts';
import { createRequestAdmission } from './auth/request-admission.ts';
import { readDashboardDocuments } from './graphql/dashboard-documents.ts';
import { createGraphqlHandler } from './graphql/handler.ts';
import { createTrustedDocuments } from './graphql/trusted-documents.ts';
import { createCountInvited, createTryPassword } from '../identity/index.ts';
import { commonHeaders } from './http/headers.ts';
import type { GracefulShutdown } from '../processes/graceful-shutdown.ts';
import { createIdempotencyHandler } from '../security/idempotency/idempotency.ts';
import { answerMalformed } from './http/malformed.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { createPages } from './pages.ts';
import { createPublicFile } from './http/public-file.ts';
import { enforceTimeouts, serverOptions, defaultTimeouts, type HttpTimeouts } from './http/timeouts.ts';
import { Pipelining } from './http/pipelining.ts';
import { ReadRetry } from './http/read-retry.ts';
import { RequestAnnouncer } from './http/request-announcer.ts';
import { RequestLog } from './http/request-log.ts';
import type { RateLimiter } from '../security/rate-limit.ts';
import {
  answerBadRequest,
  answerJson,
  answerNotFound,
  answerReady,
  answerServerOptions,
  setHeaders,
  type Answer,
} from './http/responses.ts';
import { createBodyTurns } from './http/body-turns.ts';
import { createRestHandler } from './http/rest-handler.ts';
import { createGraphqlHttpHandler } from './graphql/http-handler.ts';
import { createAuthHandler } from './auth/auth-handler.ts';
import type { Listener, Tracing } from '../observability/tracing.ts';
import { codingFault, hostFault, toOriginForm } from './http/request-target.ts';
import { createEncryption } from '../security/encryption.ts';

export interface ServerOptions {
  client: UnscopedClient;
  pool: Pool;
  domain: Domain;
  limiter: RateLimiter;
  notifications: Notifications;
  log: Logger;
  /** KONTOR_SECRET. */
  secret: string;
  /** Origins that browsers may call from. */
  corsOrigins: readonly string[];
  /** Whether GraphQL exposes its schema: by introspection, in suggestions, and at /schema.graphql. */
  introspection?: boolean;
  /** Whether the GraphQL requests of sessions may only name trusted documents. */
  sessionTrustedDocuments?: boolean;
  timeouts?: HttpTimeouts;
  /** The number of trusted proxies in front of the service, which set `X-Forwarded-For`. */
  trustedProxies?: number;
  connections?: ConnectionLimits;
  /** The longest answer, in bytes. */
  maxAnswerBytes?: number;
  /** The service's address for clients. Read at each request, because the port may be known only once listening. */
  publicUrl: () => string;
  /** Why the service isn't ready; undefined if it is. */
  unready: () => Promise<string | undefined>;
  /** Which part of it isn't; undefined if all of it is. */
  impaired?: () => Promise<string | undefined>;
  now?: () => Date;
  metrics?: Metrics | undefined;
  /** The handler of /metrics, if it is served on this port. */
  answerMetrics?: Answer | undefined;
  tracing?: Tracing | undefined;
  shutdown?: GracefulShutdown;
}

/** The HTTP server, not yet listening. */
export function createServer({
  client,
  pool,
  limiter,
  notifications,
  domain,
  log,
  secret,
  corsOrigins,
  introspection = true,
  sessionTrustedDocuments = false,
  timeouts = defaultTimeouts,
  trustedProxies = 0,
  connections = defaultLimits(trustedProxies),
  maxAnswerBytes = defaultMaxAnswerBytes,
  publicUrl,
  unready,
  impaired = async () => undefined,
  now = () => new Date(),
  metrics,
  answerMetrics,
  tracing,
  shutdown,
}: ServerOptions): Server {
  const announcer = new RequestAnnouncer(pool, (err) => log.error({ err }, 'requests are not announced'));
  const requestLog = new RequestLog(log, announcer);
  const connectionLog = new BoundedLog(log);
  const retry = new ReadRetry();
  const bodyTurns = createBodyTurns();
  const reportIdentity = (err: unknown): void => requestLog.faultsBeforeAdmission.error({ err }, 'identity');
  const admission = createRequestAdmission({ client, pool }, limiter, now, reportIdentity, retry);
  const pages = createPages(publicUrl, { limitsSessions: sessionTrustedDocuments });
  const idempotent = createIdempotencyHandler(createEncryption(secret, 'stored answers'));
  const answerMemory = new AnswerMemory(maxAnswerBytes, (tenant) =>
    connectionLog.info({ why: 'unread', tenant }, 'an answer that is not read was broken off'),
  );
  const shared = {
    domain,
    notifications,
    admission,
    idempotent,
    requestLog,
    retry,
    answerMemory,
    bodyTurns,
    publicUrl,
    now,
    timeouts,
  };
  const answerRest = createRestHandler(shared);
  const trustedDocuments = createTrustedDocuments(client, {
    dashboard: readDashboardDocuments(),
    limitsSessions: sessionTrustedDocuments,
  });
  const answerGraphql = createGraphqlHttpHandler({
    ...shared,
    graphqlHandler: createGraphqlHandler(domain.schema, log, trustedDocuments, retry, bodyTurns, { introspection }),
    answerGraphiql: (request, response) => pages(request, response, '/graphql'),
  });
  const tryPassword = createTryPassword(client, pool);
  const countInvited = createCountInvited(pool);
  const answerAuth = createAuthHandler({
    routes: createAuthRoutes({ client, tryPassword, countInvited, publicUrl, now }),
    log,
    requestLog,
    metrics,
    trustedProxies,
    timeouts,
  });

  /** Handlers by address. An address that ends in a slash covers all below it. Any other address may be a page. */
  const handlers: [address: string, answer: Answer][] = [
    ['/api/v1', answerRest],
    ['/api/v1/', answerRest],
    ['/api/auth/', answerAuth],
    ['/graphql', answerGraphql],
    ['/health/live', (_, response) => answerJson(response, 200, { status: 'ok' })],
    ['/health/ready', (_, response) => answerReady(response, { unready, impaired })],
    ['/metrics', answerMetrics ?? answerNotFound],
    ['*', answerServerOptions],
  ];

  /** Descriptions of the APIs, public. */
  const files = new Map<string, Answer>([
    ['/api/v1/openapi.json', createPublicFile('application/json', () => JSON.stringify(describeApi(domain, routes)))],
  ]);
  if (introspection) {
    files.set(
      '/schema.graphql',
      createPublicFile('text/plain; charset=utf-8', () => printSdl(domain.schema)),
    );
  }

  const answer: Listener = (request, response) => {
    const [pathname = '/'] = (request.url ?? '/').split('?', 1);
    requestLog.watch(request, response, pathname);
    metrics?.watch(request, response, pathname);
    setHeaders(response, commonHeaders(publicUrl()));
    const fault = hostFault(request) ?? codingFault(request);
    if (fault !== undefined) return answerBadRequest(response, fault);
    const file = files.get(pathname);
    if (file) return void file(request, response);
    if (answerCors(request, response, corsOrigins)) return;
    const handler = handlers.find(([at]) => pathname === at || (at.endsWith('/') && pathname.startsWith(at)));
    if (handler) void handler[1](request, response);
    else if (!pages(request, response, pathname)) {
      setHeaders(response, commonHeaders(publicUrl())); // this is no page
      answerNotFound(request, response);
    }
  };
  const listener = tracing?.requests(answer) ?? answer;
  const server = createHttpServer(serverOptions(timeouts));
  const bounded = new Connections(connections, (why, address) => {
    connectionLog.info({ why, address }, 'no room for a connection');
    metrics?.noRoom(why);
  });
  metrics?.connections(() => bounded.open);
  bounded.watch(server);
  const pipelining = new Pipelining(bounded, (request, response) => {
    toOriginForm(request);
    listener(request, response);
  });
  pipelining.watch(server);
  shutdown?.watch(server, () => bounded.responses());
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerMalformed(
    server,
    requestLog.beforeAdmission,
    () => commonHeaders(publicUrl()),
    (socket) => bounded.of(socket)?.latest,
  );
  enforceTimeouts(server, timeouts, bounded);
  return server;
}
