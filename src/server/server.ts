import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { logFailure } from '../database/log-failure.ts';
import { currentTime } from '../../prisma/clock.ts';
import { withSender, type UnscopedClient } from '../../prisma/client.ts';
import { describeApi } from '../../rest-shim/openapi/document.ts';
import type { JsonSchema } from '../../rest-shim/openapi/schemas.ts';
import { routes } from '../../rest-shim/routes.ts';
import { printSdl } from '../../schema/graphql/print-sdl.ts';
import { createAuthRoutes } from './auth/routes.ts';
import { defaultMaxResponseBytes } from '../config/config.ts';
import { ResponseMemory } from './http/response-memory.ts';
import { BoundedLog } from '../observability/bounded-log.ts';
import { Connections, defaultLimits, type ConnectionLimits } from './http/connections.ts';
import { createCors } from './http/cors.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Domain } from '../domain.ts';
import { createRequestAdmission } from './auth/request-admission.ts';
import { readDashboardDocuments } from './graphql/dashboard-documents.ts';
import { createGraphqlHandler } from './graphql/handler.ts';
import { createTenantDocuments } from './graphql/tenant-documents.ts';
import { createTrustedDocuments } from './graphql/trusted-documents.ts';
import { createCountInvited, createTryPassword } from '../identity/index.ts';
import { commonHeaders } from './http/headers.ts';
import type { GracefulShutdown } from '../processes/graceful-shutdown.ts';
import { createIdempotencyHandler } from '../security/idempotency/idempotency.ts';
import { respondMalformed } from './http/malformed.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { createPages } from './pages.ts';
import { createPublicFile } from './http/public-file.ts';
import { enforceTimeouts, serverOptions, defaultTimeouts, type HttpTimeouts } from './http/timeouts.ts';
import { Pipelining } from './http/pipelining.ts';
import { ReadRetry } from './http/read-retry.ts';
import { RequestAnnouncer } from './http/request-announcer.ts';
import { RequestLog } from './http/request-log.ts';
import type { RateLimiter } from '../security/rate-limit.ts';
import { respondJson, respondNotFound, respondReady, respondServerOptions, type Handler } from './http/responses.ts';
import { createArrivingBodies } from './http/arriving-bodies.ts';
import { createBodyTurns } from './http/body-turns.ts';
import { createRestHandler, createRestResponder } from './http/rest-handler.ts';
import { createGraphqlHttpHandler } from './graphql/http-handler.ts';
import { createMcpHandlerOnDemand } from './mcp/load-on-demand.ts';
import { createResources } from './mcp/resources.ts';
import { deriveTools, type AnyTool } from './mcp/tools.ts';
import { createAuthHandler } from './auth/auth-handler.ts';
import { describeRequest } from '../observability/slow-statements.ts';
import type { Listener, Tracing } from '../observability/tracing.ts';
import { checkHead, toOriginForm } from './http/request-target.ts';
import { createEncryption } from '../security/encryption.ts';
import type { Keyring } from '../security/keyring.ts';
import type { PublicAddress } from '../../rest-shim/rest-request.ts';

export interface ServerOptions {
  client: UnscopedClient;
  pool: Pool;
  domain: Domain;
  /** Undefined without a rate limit. */
  limiter: RateLimiter | undefined;
  notifications: Notifications;
  log: Logger;
  /** KONTOR_SECRET, or the keyring that has it. */
  secret: string | Keyring;
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
  /** The longest response, in bytes. */
  maxResponseBytes?: number;
  /** Its url may be set once the server listens, and its port is known. */
  publicAddress: PublicAddress;
  /** Why the service isn't ready; undefined if it is. */
  unready: () => Promise<string | undefined>;
  /** Which part of it isn't; undefined if all of it is. */
  impaired?: () => Promise<string | undefined>;
  now?: () => Date;
  metrics?: Metrics | undefined;
  /** The handler of /metrics, if it is served on this port. */
  metricsHandler?: Handler | undefined;
  tracing?: Tracing | undefined;
  shutdown?: GracefulShutdown;
}

/**
 * A phase of a request.
 * @param path of the request's target
 * @returns true if it responds, which ends the request
 */
type Phase = (request: IncomingMessage, response: ServerResponse, path: string) => unknown;

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
  maxResponseBytes = defaultMaxResponseBytes,
  publicAddress,
  unready,
  impaired = async () => undefined,
  now = currentTime,
  metrics,
  metricsHandler,
  tracing,
  shutdown,
}: ServerOptions): Server {
  const announcer = new RequestAnnouncer(pool, (err) => logFailure(log, err, 'requests are not announced'));
  const requestLog = new RequestLog(log, announcer, { trustedProxies, traceId: tracing?.traceId });
  const connectionLog = new BoundedLog(log);
  const retry = new ReadRetry();
  const bodyTurns = createBodyTurns();
  const pages = createPages(publicAddress, { limitsSessions: sessionTrustedDocuments });
  const idempotent = createIdempotencyHandler(createEncryption(secret, 'stored answers'));
  const responseMemory = new ResponseMemory(maxResponseBytes, (tenant) =>
    connectionLog.info({ why: 'unread', tenant }, 'a response that is not read was broken off'),
  );
  const admit = createRequestAdmission({
    client,
    pool,
    domain,
    limiter,
    notifications,
    documents: createTenantDocuments(client, domain.schema),
    requestLog,
    reserveBody: createArrivingBodies(),
    responseMemory,
    maxResponseBytes,
    retry,
    now,
  });
  const shared = { admit, idempotent, requestLog, bodyTurns, publicAddress, timeouts };
  const respondRest = createRestResponder({ ...shared, domain, retry });
  const handleRest = createRestHandler(respondRest, shared);
  const trustedDocuments = createTrustedDocuments(client, {
    dashboard: readDashboardDocuments(),
    limitsSessions: sessionTrustedDocuments,
  });
  const graphqlHandler = createGraphqlHandler(domain.schema, log, trustedDocuments, retry, bodyTurns, {
    introspection,
  });
  const handleGraphql = createGraphqlHttpHandler({
    ...shared,
    graphqlHandler,
    respondGraphiql: (request, response) => pages(request, response, '/graphql'),
  });
  const tryPassword = createTryPassword(client, pool);
  const countInvited = createCountInvited(pool);
  const handleAuth = createAuthHandler({
    routes: createAuthRoutes({ client, tryPassword, countInvited, publicAddress, now }),
    log,
    requestLog,
    metrics,
    trustedProxies,
    timeouts,
  });

  /** Descriptions of the APIs, public. Made when they are first asked for. */
  let description: JsonSchema | undefined;
  const describe = (): JsonSchema => (description ??= describeApi(domain, routes));
  const descriptions = new Map<string, { type: string; make: () => string }>([
    ['/api/v1/openapi.json', { type: 'application/json', make: () => JSON.stringify(describe()) }],
  ]);
  if (introspection)
    descriptions.set('/schema.graphql', { type: 'text/plain; charset=utf-8', make: () => printSdl(domain.schema) });
  const files = new Map([...descriptions].map(([path, { type, make }]) => [path, createPublicFile(type, make)]));
  /** The tools of MCP. Deriving them takes longer than most of their calls. */
  let tools: ReadonlyMap<string, AnyTool> | undefined;
  const handleMcp = createMcpHandlerOnDemand({
    ...shared,
    corsOrigins,
    respondRest,
    graphqlHandler,
    tools: () => (tools ??= deriveTools(describe())),
    readResources: createResources(publicAddress, descriptions),
  });

  /** Handlers by address. Any other address may be a page. */
  const handlers = new Map<string, Handler>([
    ...files,
    ['/api/v1', handleRest],
    ['/graphql', handleGraphql],
    ['/mcp', handleMcp],
    ['/health/live', (_, response) => respondJson(response, 200, { status: 'ok' })],
    ['/health/ready', (_, response) => respondReady(response, { unready, impaired })],
    ['/metrics', metricsHandler ?? respondNotFound],
    ['*', respondServerOptions],
  ]);
  /** Handlers of all addresses below these. */
  const handlersBelow: [address: string, handle: Handler][] = [
    ['/api/v1/', handleRest],
    ['/api/auth/', handleAuth],
  ];

  let headers: Map<string, string> | undefined;
  const setCommonHeaders = (_: unknown, response: ServerResponse): void => {
    headers ??= new Map(Object.entries(commonHeaders(publicAddress.url)));
    response.setHeaders(headers);
  };
  const route: Phase = (request, response, path) => {
    const exact = handlers.get(path);
    if (exact) return exact(request, response);
    for (const [address, handle] of handlersBelow) if (path.startsWith(address)) return handle(request, response);
    if (pages(request, response, path)) return true;
    setCommonHeaders(request, response); // this is no page
    return respondNotFound(request, response);
  };

  /** The phases of every request, in order. What REST and GraphQL do before they respond is in request-admission.ts. */
  const phases: Phase[] = [
    requestLog.watch,
    ...(metrics ? [metrics.watch] : []),
    setCommonHeaders,
    checkHead,
    ...(corsOrigins.length > 0 ? [createCors(corsOrigins, files)] : []),
    route,
  ];
  const handle: Listener = (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    for (const phase of phases) if (phase(request, response, path) === true) return;
  };
  const listener = tracing?.requests(handle) ?? handle;
  const server = createHttpServer(serverOptions(timeouts));
  const bounded = new Connections(connections, (why, address) => {
    connectionLog.info({ why, address }, 'no room for a connection');
    metrics?.noRoom(why);
  });
  metrics?.connections(() => bounded.open.size);
  bounded.watch(server);
  const pipelining = new Pipelining(bounded, (request, response) => {
    if (!request.url?.startsWith('/')) toOriginForm(request);
    withSender({ toLogFields: () => describeRequest(request, response) }, listener, request, response);
  });
  pipelining.watch(server);
  shutdown?.watch(server, () => bounded.responses());
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  respondMalformed(
    server,
    requestLog.beforeAdmission,
    () => commonHeaders(publicAddress.url),
    (socket) => bounded.open.get(socket)?.latest,
  );
  enforceTimeouts(server, timeouts, bounded);
  return server;
}
