import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { fromOurPage, type Browser } from '../identity/browser.ts';

// Subscriptions to deliveryChanged, as clients have them.

export let service: Service;
export let acme: Integrator;
export let globex: Integrator;

/** For a file of tests: a service, and two tenants of its own for each test, so that nobody subscribed before. */
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

export interface Told {
  id: string;
  state: string;
  attemptCount: number;
  webhookId: string;
}

/** A subscription as a client has it: what it was told so far, and whether it was cut off. */
export class Stream {
  readonly told: Told[] = [];
  text = '';
  closed = false;
  readonly answer: IncomingMessage;

  constructor(answer: IncomingMessage) {
    this.answer = answer;
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk;
      const events = this.text.matchAll(/^event: next\ndata: (.*)\n\n/gm);
      this.told.splice(
        0,
        this.told.length,
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

/** Asks for a subscription, without waiting for it to begin. */
export const ask = (who: Visitor, args = '', to = service.url): ClientRequest =>
  askFor(`subscription { deliveryChanged${args} { ${fields} } }`, who, to);

export function askFor(query: string, who: Visitor, to = service.url): ClientRequest {
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

export const subscribe = async (...args: Parameters<typeof ask>): Promise<Stream> => streamOf(ask(...args));

export async function streamOf(request: ClientRequest): Promise<Stream> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const stream = new Stream(answer);
  streams.push(stream);
  await vi.waitUntil(() => stream.text !== '' || stream.closed);
  return stream;
}

export const until = (condition: () => unknown): Promise<unknown> => vi.waitUntil(condition, { timeout: 60_000 });

/** Connections of this service that listen. */
export async function listening({ pool } = service): Promise<number[]> {
  const { rows } = await pool.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'kontor changes'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Locks held by those who watch. */
export async function watched(): Promise<number> {
  const { rows } = await service.pool.query(
    `select count(*)::int as held from pg_locks join pg_database on pg_database.oid = database
     where datname = current_database() and locktype = 'advisory' and mode = 'ShareLock'`,
  );
  return rows[0].held;
}

export const ping = async (who: Integrator, webhookId: string): Promise<string> =>
  (await who.graphql(`mutation { pingWebhook(id: "${webhookId}") { id } }`)).pingWebhook.id;

export const databaseUrl = (): string =>
  String((service.pool.options as { connectionString?: string }).connectionString);
