import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { fromOurPage, type Browser } from '../../identity/browser.ts';

// Client side of subscriptions to deliveryChanged.

export let service: Service;
export let acme: Integrator;
export let globex: Integrator;

/** Starts a service for a test file, and creates two new tenants without subscriptions for each test. */
export function serveSubscriptions(): void {
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    [acme, globex] = [await service.integrator(), await service.integrator()];
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.hangUp();
  });
}

export const streams: Stream[] = [];

export const fields = 'id state attemptCount webhookId event { type }';

export interface Change {
  id: string;
  state: string;
  attemptCount: number;
  webhookId: string;
}

/** A client's subscription: the changes received so far, and whether it was closed. */
export class Stream {
  readonly changes: Change[] = [];
  text = '';
  closed = false;
  readonly answer: IncomingMessage;

  constructor(answer: IncomingMessage) {
    this.answer = answer;
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk;
      const events = this.text.matchAll(/^event: next\ndata: (.*)\n\n/gm);
      this.changes.splice(
        0,
        this.changes.length,
        ...[...events].map(([, data = '']) => JSON.parse(data).data?.deliveryChanged),
      );
    });
    answer.on('error', () => {}).once('close', () => (this.closed = true));
  }

  hangUp(): void {
    this.answer.destroy();
  }
}

export type Visitor = Pick<Integrator, 'token'> | { browser: Browser };

/** Sends the request for a subscription without waiting for it to begin. */
export const startSubscription = (who: Visitor, args = '', to = service.url): ClientRequest =>
  sendSubscription(`subscription { deliveryChanged${args} { ${fields} } }`, who, to);

export function sendSubscription(query: string, who: Visitor, to = service.url): ClientRequest {
  const headers = {
    ...('token' in who
      ? { authorization: `Bearer ${who.token}` }
      : { ...fromOurPage, cookie: who.browser.cookie ?? '' }),
    'content-type': 'application/json',
    accept: 'text/event-stream',
  };
  const sending = httpRequest(new URL('/graphql', to), { method: 'POST', headers });
  sending.end(JSON.stringify({ query }));
  return sending;
}

export const subscribe = async (...args: Parameters<typeof startSubscription>): Promise<Stream> =>
  openStream(startSubscription(...args));

export async function openStream(request: ClientRequest): Promise<Stream> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const stream = new Stream(answer);
  streams.push(stream);
  await vi.waitUntil(() => stream.text !== '' || stream.closed);
  return stream;
}

export const until = (condition: () => unknown): Promise<unknown> => vi.waitUntil(condition, { timeout: 60_000 });

/** The service's connections with LISTEN. */
export async function listening({ pool } = service): Promise<number[]> {
  const { rows } = await pool.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'kontor notifications'`,
  );
  return rows.map(({ pid }) => pid);
}

/**
 * The number of subscriptions: each is an advisory lock, or a row where the books are distributed.
 * @param onlyBegun without those that still wait for their lock
 */
export async function watched({ pool }: Pick<Service, 'pool'> = service, onlyBegun = false): Promise<number> {
  const { rows } = await pool.query(
    `select (select count(*)::int from pg_locks join pg_database on pg_database.oid = database
       where datname = current_database() and locktype = 'advisory' and mode = 'ShareLock' and (granted or not $1))
       + (select count(*)::int from watchers) as registered`,
    [onlyBegun],
  );
  return rows[0].registered;
}

export const ping = async (who: Integrator, webhookId: string): Promise<string> =>
  (await who.graphql(`mutation { pingWebhook(id: "${webhookId}") { id } }`)).pingWebhook.id;

export const databaseUrl = (): string =>
  String((service.pool.options as { connectionString?: string }).connectionString);
