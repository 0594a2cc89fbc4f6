import { once } from 'node:events';
import type { CronItem } from 'graphile-worker';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { forTenant } from '../../prisma/client.ts';
import { deliver } from '../../src/webhooks/deliver.ts';
import { createPoster } from '../../src/webhooks/post.ts';
import { createAnchorKey } from '../../schema/resources/anchor/signature.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { Keyring } from '../../src/security/keyring.ts';
import type { Metrics } from '../../src/observability/metrics/metrics.ts';
import { pino, type Logger } from 'pino';
import { planDeliveries } from '../../schema/resources/delivery/attempts.ts';
import type { Integrator, Service } from '../harness.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  requests: Received[];
  close(): Promise<void>;
}

/**
 * An endpoint that keeps what it gets.
 * @param answer gets each request and its number, from 0
 * @param server one that does not listen yet, such as one with TLS
 */
export async function startReceiver(
  answer: (response: ServerResponse, request: Received, index: number) => void = (response) => response.end('ok'),
  server: Server | TlsServer = createServer(),
): Promise<Receiver> {
  const requests: Received[] = [];
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body };
      answer(response, received, requests.push(received) - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const status =
  (code: number): ((response: ServerResponse) => void) =>
  (response) =>
    void response.writeHead(code).end();

const keyring = Keyring.of('the secret of the tests, long enough');
const anchorKey = createAnchorKey(new Uint8Array(32).fill(7));
const silent = pino({ level: 'silent' });

/** A worker on the service's database, as `kontor work` runs it. */
export const work = (
  service: Service,
  {
    retryDelaysMs = [20, 20, 20, 20, 20],
    timeoutMs = 10_000,
    timestampUrl = null,
    log = silent,
    metrics,
    crontab,
  }: {
    retryDelaysMs?: number[];
    timeoutMs?: number;
    timestampUrl?: string | null;
    log?: Logger;
    metrics?: Metrics;
    /** The worker's jobs at certain minutes of the clock. Default: as in production. */
    crontab?: CronItem[];
  } = {},
) =>
  startWorker(
    {
      url: '',
      embedded: false,
      forBackups: null,
      pool: service.pool,
      client: service.client,
      books: service.books,
      workers: service.workers,
      unready: async () => undefined,
      impaired: async () => undefined,
      close: async () => {},
    },
    service.domain,
    service.webhooks,
    {
      webhookRetryDelaysMs: retryDelaysMs,
      webhookTimeoutMs: timeoutMs,
      auditLogYears: 10,
      eventDays: 90,
      exportDays: 7,
      timestampUrl,
      anchorKey: () => anchorKey,
      keyring,
      ...(crontab && { crontab }),
    },
    log,
    metrics,
  );

/** The decided schedule, in milliseconds. */
export const schedule = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/**
 * Does by hand, under the service's clock, what a worker's jobs do: plans the deliveries of all events, then makes one
 * attempt of each delivery that is due. Jobs in the queue are left alone.
 */
export function byHand(service: Service, { tenantId }: Integrator, timeoutMs = 10_000) {
  const now = (): Date => service.clock.now ?? new Date();
  const poster = createPoster({ allowInsecure: true, timeoutMs });
  const rules = { retryDelaysMs: schedule, attemptMs: timeoutMs + 15_000 };
  const task = deliver({ books: service.books, poster, open: service.webhooks.open, rules, now });
  const db = forTenant(service.books, tenantId);
  return {
    close: () => poster.close(),
    async run(): Promise<void> {
      for (const { id } of await db.event.findMany({ where: { fannedOutAt: null, type: { not: 'webhook.ping' } } })) {
        await planDeliveries(db, id, now());
      }
      const due = await db.delivery.findMany({
        where: { state: 'WAITING', nextAttemptAt: { lte: now() } },
        orderBy: { id: 'asc' },
      });
      for (const { id: deliveryId, webhookId } of due) {
        await task({ tenantId, webhookId, deliveryId }, undefined as never);
      }
    },
  };
}

export const createWebhook = async (
  acme: Integrator,
  input: { url: string; events?: string[] },
): Promise<{ id: string; secret: string }> => {
  const { createWebhook: made } = await acme.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { id } } }',
    { input },
  );
  return { id: made.webhook.id, secret: made.secret };
};

export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
  ms = 60_000,
  everyMs = 20,
): Promise<void> {
  const giveUp = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > giveUp) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
