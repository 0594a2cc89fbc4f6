import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isContention, type UnscopedClient } from '../prisma/client.ts';
import { readRequestBytes } from '../rest-shim/request-body.ts';
import { describeApi } from '../rest-shim/openapi/document.ts';
import { toErrorResponse, createRouter, errorResponse } from '../rest-shim/router.ts';
import { routes } from '../rest-shim/routes.ts';
import type { Context } from '../schema/context.ts';
import { printSdl } from '../schema/print.ts';
import { importLimits } from '../schema/bank-import/import.ts';
import { createAuthRoutes } from './auth/routes.ts';
import type { AuthRequestContext } from './auth/router.ts';
import { clientAddress } from './http/client-address.ts';
import { sessionToken } from './auth/cookie.ts';
import { BoundedLog, truncated } from './http/bounded-log.ts';
import { Connections, defaultLimits, type ConnectionLimits } from './http/connections.ts';
import { answerCors } from './http/cors.ts';
import { withDeadline } from './http/deadline.ts';
import { accessKeys } from './graphql/access-endings.ts';
import type { DeliveryChanges } from './graphql/delivery-changes.ts';
import type { Domain } from './domain.ts';
import { mayBeCsrf } from './auth/csrf.ts';
import { createRequestAdmission, type Credentials } from './auth/request-admission.ts';
import { createGraphqlHandler, type GraphqlRequest } from './graphql/handler.ts';
import { toGraphqlError, sendGraphqlError } from './graphql/error-response.ts';
import { createCountInvited, createTryPassword } from './identity/index.ts';
import { commonHeaders } from './http/headers.ts';
import { createIdempotencyHandler, replayPolicyOfStatus, idempotencyKeyOf, sha256 } from './idempotency/idempotency.ts';
import { handleIdempotentGraphql } from './idempotency/idempotent-graphql.ts';
import { answerMalformed } from './http/malformed.ts';
import type { Metrics } from './metrics/metrics.ts';
import { isForm } from './http/multipart.ts';
import { createPages } from './pages/pages.ts';
import { createPublicFile } from './http/public-file.ts';
import { enforceTimeouts, serverOptions, defaultTimeouts, type HttpTimeouts } from './http/timeouts.ts';
import { Pipelining } from './http/pipelining.ts';
import { sendWhole } from './http/send-whole.ts';
import { idOf, RequestLog } from './http/request-log.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Listener, Tracing } from './tracing.ts';
import { hostFault, toOriginForm } from './http/request-target.ts';
import { createEncryption } from './encryption.ts';

export interface ServerOptions {
  client: UnscopedClient;
  pool: Pool;
  domain: Domain;
  limiter: RateLimiter;
  changes: DeliveryChanges;
  log: Logger;
  /** KONTOR_SECRET. */
  secret: string;
  /** Origins that browsers may call from. */
  corsOrigins: readonly string[];
  /** Whether GraphQL exposes its schema: by introspection, in suggestions, and at /schema.graphql. */
  introspection?: boolean;
  timeouts?: HttpTimeouts;
  /** The number of trusted proxies in front of the service, which set `X-Forwarded-For`. */
  trustedProxies?: number;
  connections?: ConnectionLimits;
  /** Where clients reach the service; asked per request, as the port may be known only once listening. */
  publicUrl: () => string;
  /** Why the service isn't ready; undefined if it is. */
  unready: () => Promise<string | undefined>;
  now?: () => Date;
  metrics?: Metrics | undefined;
  /** What answers at /metrics, where it is to be had here. */
  answerMetrics?: Answer | undefined;
  tracing?: Tracing | undefined;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The HTTP server, not yet listening. */
export function createServer({
  client,
  pool,
  limiter,
  changes,
  domain,
  log,
  secret,
  corsOrigins,
  introspection = true,
  timeouts = defaultTimeouts,
  trustedProxies = 0,
  connections = defaultLimits(trustedProxies),
  publicUrl,
  unready,
  now = () => new Date(),
  metrics,
  answerMetrics,
  tracing,
}: ServerOptions): Server {
  const requestLog = new RequestLog(log);
  const connectionLog = new BoundedLog(log);
  const admission = createRequestAdmission({ client, pool }, limiter, now, (err) =>
    requestLog.strangersFaults.error({ err }, 'identity'),
  );
  const router = createRouter(domain, publicUrl);
  const graphqlHandler = createGraphqlHandler(domain.schema, log, { introspection });
  const authRoutes = createAuthRoutes({
    client,
    tryPassword: createTryPassword(client, pool),
    countInvited: createCountInvited(pool),
    publicUrl,
    now,
  });
  const pages = createPages(publicUrl);
  const idempotent = createIdempotencyHandler(createEncryption(secret, 'stored answers'));

  function answerRest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = idOf(response);
    const report = (err: unknown): void => requestLog.fault(response, err);
    // Tried again, or reported once that is of no use.
    const reportUnlessRetried = (err: unknown): void => (isContention(err) ? undefined : report(err));
    const handle = (request: Request, context: Context, isRetried = false) =>
      router(request, { context, requestId, report: isRetried ? reportUnlessRetried : report });
    const admit = async (request: Request, signal: AbortSignal): Promise<Response> => {
      const { headers, outcome } = await admission.admit({ authorization: request.headers.get('authorization') });
      setHeaders(response, headers);
      if ('refusal' in outcome) return errorResponse(outcome.refusal.status, outcome.refusal.message, requestId);
      requestLog.admitted(response);
      const context = domain.contextFor(outcome.principal, { requestId, signal });
      const key = idempotencyKeyOf(incoming);
      if (key === undefined) return await handle(request, context);
      const body = await readRequestBytes(request);
      const { url, ...init } = { url: request.url, method: request.method, headers: request.headers, body };
      const keyed = { method: init.method, path: new URL(url).pathname, key, body: sha256(body), requestId };
      return await idempotent(keyed, context, {
        handle: (inside) => handle(new Request(url, init), inside, true),
        replayPolicyOf: replayPolicyOfStatus,
      });
    };
    const listener = getRequestListener(
      (request) =>
        withDeadline(timeouts.answerMs, incoming, response, (signal) => admit(request, signal)).catch(
          (error: unknown) => toErrorResponse(error, request, { requestId, report }),
        ),
      // A path that no URL can be made of is no address of ours.
      { hostname, errorHandler: () => errorResponse(404, 'Not found.', requestId) },
    );
    return listener(incoming, response);
  }

  function answerAuth(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = idOf(response);
    const report = (err: unknown): void => requestLog.fault(response, err);
    const address = clientAddress(incoming, trustedProxies);
    const logOutcome: AuthRequestContext['logOutcome'] = (outcome, userId) => {
      const to = outcome === 'entered' ? log : requestLog.strangers;
      to.info({ requestId, address: truncated(address), outcome, userId }, 'sign-in');
      metrics?.signIn(outcome);
    };
    const authRequest = { incoming, address, requestId, report, logOutcome };
    const answered = (request: Request) =>
      withDeadline(timeouts.answerMs, incoming, response, () => authRoutes(request, authRequest)).catch(
        (error: unknown) => toErrorResponse(error, request, authRequest),
      );
    const listener = getRequestListener(answered, {
      hostname,
      errorHandler: () => errorResponse(404, 'Not found.', requestId),
    });
    return listener(incoming, response);
  }

  function credentialsOf({ method = '', headers }: IncomingMessage): Credentials {
    const authorization = headers.authorization ?? null;
    const token = sessionToken(headers.cookie, publicUrl());
    if (authorization !== null || token === undefined) return { authorization };
    const tenantId = headers['x-tenant'];
    return {
      authorization,
      session: {
        token,
        tenantId: typeof tenantId === 'string' ? tenantId : null,
        mayBeCsrf: mayBeCsrf(method, headers, publicUrl()),
      },
    };
  }

  async function answerGraphql(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = idOf(response);
    if (wantsGraphiql(request) && pages(request, response, '/graphql')) return;
    const admit = async (signal: AbortSignal): Promise<void> => {
      const credentials = credentialsOf(request);
      const { headers, outcome } = await admission.admit(credentials);
      setHeaders(response, headers);
      if ('refusal' in outcome) return sendGraphqlError(response, outcome.refusal, requestId);
      requestLog.admitted(response);
      const { principal } = outcome;
      const { token } = principal;
      const graphqlRequest: GraphqlRequest = {
        requestId,
        context: domain.contextFor(principal, { changes, requestId, signal }),
        isStillAuthorized: () => admission.isStillAuthorized(credentials, principal),
        onAccessEnd: (end) => changes.accessEndings.listen(accessKeys(principal), end),
        expiresInMs: token?.expiresAt ? token.expiresAt.getTime() - now().getTime() : null,
      };
      const key = idempotencyKeyOf(request);
      if (key === undefined) await graphqlHandler.handle(request, response, graphqlRequest);
      else
        await sendWhole(
          response,
          await handleIdempotentGraphql(graphqlHandler, idempotent, request, { key, ...graphqlRequest }),
        );
    };
    const mayTakeMs = isForm(request.headers['content-type']) ? importLimits.timeout : timeouts.answerMs;
    try {
      await withDeadline(mayTakeMs, request, response, admit);
    } catch (error) {
      const refusal = toGraphqlError(error);
      if (refusal.status === 500) requestLog.fault(response, error);
      sendGraphqlError(response, refusal, requestId);
    }
  }

  /** Handlers by address. An address that ends in a slash covers all below it. Any other address may be a page. */
  const handlers: [address: string, answer: Answer][] = [
    ['/api/v1', answerRest],
    ['/api/v1/', answerRest],
    ['/api/auth/', answerAuth],
    ['/graphql', answerGraphql],
    ['/health/live', (_, response) => answerJson(response, 200, { status: 'ok' })],
    ['/health/ready', (_, response) => answerReady(response, unready)],
    ['/metrics', answerMetrics ?? notFound],
    ['*', answerOptions],
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
    const fault = hostFault(request);
    if (fault !== undefined) return refuse(response, fault);
    const file = files.get(pathname);
    if (file) return void file(request, response);
    if (answerCors(request, response, corsOrigins)) return;
    const handler = handlers.find(([at]) => pathname === at || (at.endsWith('/') && pathname.startsWith(at)));
    if (handler) void handler[1](request, response);
    else if (!pages(request, response, pathname)) {
      setHeaders(response, commonHeaders(publicUrl())); // this is no page
      notFound(request, response);
    }
  };
  const pipelining = new Pipelining();
  const listener = tracing?.requests(answer) ?? answer;
  const server = createHttpServer(
    serverOptions(timeouts),
    pipelining.serialize((request, response) => {
      toOriginForm(request);
      listener(request, response);
    }),
  );
  const bounded = new Connections(connections, (why, address) => {
    connectionLog.info({ why, address }, 'no room for a connection');
    metrics?.noRoom(why);
  });
  metrics?.connections(() => bounded.open);
  bounded.watch(server);
  pipelining.watch(server);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerMalformed(server, requestLog.strangers, () => commonHeaders(publicUrl()));
  enforceTimeouts(server, timeouts);
  return server;
}

/** In the URLs that doors make of a request without a Host. Nothing reads it. */
const hostname = 'localhost';

function setHeaders(response: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

const notFound: Answer = (_, response) =>
  answerJson(response, 404, { message: 'Not found.', request_id: idOf(response) });

/** Refuses a request without a valid host, which can't be routed. */
function refuse(response: ServerResponse, message: string): void {
  response.setHeader('Connection', 'close');
  answerJson(response, 400, { message, request_id: idOf(response) });
}

/** `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7). No other method has this target. */
const answerOptions: Answer = (request, response) =>
  request.method === 'OPTIONS' ? response.writeHead(204).end() : notFound(request, response);

async function answerReady(response: ServerResponse, unready: () => Promise<string | undefined>): Promise<void> {
  const reason = await unready().catch(() => 'The database does not answer.');
  answerJson(response, reason ? 503 : 200, reason ? { status: 'unready', message: reason } : { status: 'ready' });
}

/** A browser that opens the address gets GraphiQL, whose own requests need a token or a session. */
function wantsGraphiql({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html');
}
