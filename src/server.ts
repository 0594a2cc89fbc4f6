import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { UnscopedClient } from '../prisma/client.ts';
import { createRouter, errorResponse } from '../rest-shim/router.ts';
import { createApiDescription, descriptionPath } from './api-description.ts';
import { createAuthDoor } from './auth-door.ts';
import { clientAddress } from './client-address.ts';
import { sessionToken } from './cookie.ts';
import { answerCors } from './cors.ts';
import type { Domain } from './domain.ts';
import { mayBeForged } from './forgery.ts';
import { createGate, type Credentials, type Refusal } from './gate.ts';
import { createGraphqlDoor } from './graphql-door.ts';
import { createTryPassword } from './identity/index.ts';
import { answerMalformed } from './malformed.ts';
import type { RateLimiter } from './rate-limit.ts';

export interface Surroundings {
  client: UnscopedClient;
  pool: Pool;
  domain: Domain;
  limiter: RateLimiter;
  log: Logger;
  /** Origins that browsers may call from. */
  corsOrigins: readonly string[];
  /** How many proxies stand before us, whose `X-Forwarded-For` is believed. */
  trustedProxies?: number;
  /** Where clients reach the service; asked per request, as the port may be known only once listening. */
  publicUrl: () => string;
  /** Why the service can't answer yet; undefined when it can. */
  unready: () => Promise<string | undefined>;
  now?: () => Date;
}

/** The HTTP server, not yet listening: REST at /api/v1 with its description, GraphQL at /graphql, sessions at /api/auth, health. */
export function createServer({
  client,
  pool,
  limiter,
  domain,
  log,
  corsOrigins,
  trustedProxies = 0,
  publicUrl,
  unready,
  now = () => new Date(),
}: Surroundings): Server {
  const gate = createGate(client, limiter, now, (err) => log.error({ err }, 'identity'));
  const router = createRouter(domain, publicUrl);
  const graphqlDoor = createGraphqlDoor(domain.schema, log);
  const authDoor = createAuthDoor({ client, tryPassword: createTryPassword(client, pool), publicUrl, now });
  const describe = createApiDescription(domain);

  function answerRest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = idOf(response);
    const report = (err: unknown): void => log.error({ err, requestId }, 'fault');
    const listener = getRequestListener(
      async (request) => {
        try {
          const { headers, outcome } = await gate({ authorization: request.headers.get('authorization') });
          setHeaders(response, headers);
          if ('refusal' in outcome) return errorResponse(outcome.refusal.status, outcome.refusal.message, requestId);
          return await router(request, { context: domain.contextFor(outcome.principal), requestId, report });
        } catch (error) {
          report(error);
          return errorResponse(500, 'Internal error. It is logged under the request_id.', requestId);
        }
      },
      // What no URL can be made of, by its path or by its Host header, is no address of ours.
      { overrideGlobalObjects: false, errorHandler: () => errorResponse(404, 'Not found.', requestId) },
    );
    return listener(incoming, response);
  }

  function answerAuth(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = idOf(response);
    const report = (err: unknown): void => log.error({ err, requestId }, 'fault');
    const caller = { incoming, address: clientAddress(incoming, trustedProxies), requestId, report };
    const listener = getRequestListener((request) => authDoor(request, caller), {
      overrideGlobalObjects: false,
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
        mayBeForged: mayBeForged(method, headers, publicUrl()),
      },
    };
  }

  async function answerGraphql(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = idOf(response);
    if (wantsGraphiql(request)) return graphqlDoor.handle(request, response, { requestId, context: null });
    try {
      const { headers, outcome } = await gate(credentialsOf(request));
      setHeaders(response, headers);
      if ('refusal' in outcome) return refuseGraphql(response, outcome.refusal);
      await graphqlDoor.handle(request, response, { requestId, context: domain.contextFor(outcome.principal) });
    } catch (err) {
      log.error({ err, requestId }, 'fault');
      refuseGraphql(response, { status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'Internal error.' });
    }
  }

  const server = createHttpServer((request, response) => {
    const [pathname = '/'] = (request.url ?? '/').split('?', 1);
    prepare(request, response, pathname, log);
    if (pathname === descriptionPath) return describe(request, response);
    if (answerCors(request, response, corsOrigins)) return;
    if (pathname === '/graphql') void answerGraphql(request, response);
    else if (pathname === '/api/v1' || pathname.startsWith('/api/v1/')) void answerRest(request, response);
    else if (pathname.startsWith('/api/auth/')) void answerAuth(request, response);
    else if (pathname === '/health/live') answerJson(response, 200, { status: 'ok' });
    else if (pathname === '/health/ready') void answerReady(response, unready);
    else answerJson(response, 404, { message: 'Not found.', request_id: idOf(response) });
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerMalformed(server, log);
  return server;
}

const idOf = (response: ServerResponse): string => String(response.getHeader('X-Request-Id'));

/** Gives the request its id, and writes its line to the log once it is answered. Never its query, body or token. */
function prepare(request: IncomingMessage, response: ServerResponse, path: string, log: Logger): void {
  const requestId = randomUUID();
  const start = performance.now();
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.once('close', () => {
    const ms = Math.round((performance.now() - start) * 10) / 10;
    const aborted = !response.writableFinished;
    log.info(
      { requestId, method: request.method, path, status: response.statusCode, ms, ...(aborted && { aborted }) },
      'request',
    );
  });
}

function setHeaders(response: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

async function answerReady(response: ServerResponse, unready: () => Promise<string | undefined>): Promise<void> {
  const reason = await unready().catch(() => 'The database does not answer.');
  answerJson(response, reason ? 503 : 200, reason ? { status: 'unready', message: reason } : { status: 'ready' });
}

function refuseGraphql(
  response: ServerResponse,
  { status, code, message, retryAfter }: Omit<Refusal, 'status'> & { status: number },
): void {
  answerJson(response, status, {
    errors: [{ message, extensions: { code, ...(retryAfter && { retryAfter }), requestId: idOf(response) } }],
  });
}

/** A browser that opens the address gets GraphiQL, whatever it asks for there; what GraphiQL then asks needs a token. */
function wantsGraphiql({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html');
}
