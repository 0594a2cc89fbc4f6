import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { forTenant } from '../../prisma/client.ts';
import { closeTenant, createToken, removeUser, revokeToken } from '../../src/identity/index.ts';
import { checkEveryMs } from '../../src/graphql/subscription-authorization.ts';
import { createRateLimiter, memoryStore } from '../../src/rate-limit.ts';
import { javaScriptNames } from '../javascript-names.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { fromOurPage, signedIn, type Browser } from '../identity/browser.ts';
import { makeDelivery, refusal } from './books.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
// Tenants of its own for each: that nobody watched before.
beforeEach(async () => {
  [acme, globex] = [await service.integrator(), await service.integrator()];
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.hangUp();
});
const streams: Stream[] = [];

const fields = 'id state attemptCount webhookId event { type }';

interface Told {
  id: string;
  state: string;
  attemptCount: number;
  webhookId: string;
}

/** A subscription as a client has it: what it was told so far, and whether it was cut off. */
class Stream {
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

type Visitor = Pick<Integrator, 'token'> | { browser: Browser };

/** Asks for a subscription, without waiting for it to begin. */
const ask = (who: Visitor, args = '', to = service.url): ClientRequest =>
  askFor(`subscription { deliveryChanged${args} { ${fields} } }`, who, to);

function askFor(query: string, who: Visitor, to = service.url): ClientRequest {
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

const subscribe = async (...args: Parameters<typeof ask>): Promise<Stream> => streamOf(ask(...args));

async function streamOf(request: ClientRequest): Promise<Stream> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const stream = new Stream(answer);
  streams.push(stream);
  await vi.waitUntil(() => stream.text !== '' || stream.closed);
  return stream;
}

const until = (condition: () => unknown): Promise<unknown> => vi.waitUntil(condition, { timeout: 60_000 });

/** Connections of this service that listen. */
async function listening({ pool } = service): Promise<number[]> {
  const { rows } = await pool.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'kontor changes'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Locks held by those who watch. */
async function watched(): Promise<number> {
  const { rows } = await service.pool.query(
    `select count(*)::int as held from pg_locks join pg_database on pg_database.oid = database
     where datname = current_database() and locktype = 'advisory' and mode = 'ShareLock'`,
  );
  return rows[0].held;
}

const ping = async (who: Integrator, webhookId: string): Promise<string> =>
  (await who.graphql(`mutation { pingWebhook(id: "${webhookId}") { id } }`)).pingWebhook.id;

it('nobody watches: no connection listens, and nothing is announced', async () => {
  const quiet = await startService(); // whoever has served a subscription keeps its connection
  onTestFinished(quiet.close);
  const hooli = await quiet.integrator();
  const { webhookId } = await makeDelivery(hooli);
  const client = await quiet.pool.connect();
  const heard: unknown[] = [];
  client.on('notification', (notification) => heard.push(notification));
  await client.query('listen deliveries');
  await ping(hooli, webhookId);
  await client.query('select 1');
  expect(await listening(quiet)).toEqual([]);
  expect(heard).toEqual([]);
  client.release(true);
});

describe('deliveryChanged', () => {
  it('tells a delivery as it is made, tried again and finished, as it then stands', async () => {
    const { webhookId } = await makeDelivery(acme);
    const stream = await subscribe(acme);
    expect(stream.answer.statusCode).toBe(200);
    expect(stream.answer.headers['content-type']).toMatch(/^text\/event-stream/);
    const id = await ping(acme, webhookId);
    await until(() => stream.told.length === 1);
    expect(stream.told[0]).toEqual({
      id,
      webhookId,
      state: 'WAITING',
      attemptCount: 0,
      event: { type: 'webhook.ping' },
    });
    await acme.db.delivery.updateMany({ where: { id }, data: { attemptCount: 1, nextAttemptAt: new Date() } });
    await until(() => stream.told.length === 2);
    expect(stream.told[1]).toMatchObject({ id, state: 'WAITING', attemptCount: 1 });
    const finished = { state: 'DELIVERED', nextAttemptAt: null, finishedAt: new Date() } as const;
    await acme.db.delivery.updateMany({ where: { id }, data: finished });
    await until(() => stream.told.length === 3);
    expect(stream.told[2]).toMatchObject({ id, state: 'DELIVERED', attemptCount: 1 });
    stream.hangUp();
    await until(async () => (await watched()) === 0);
  });

  it.each<[string, (name: string) => string, (name: string) => RegExp]>([
    [
      'the field',
      (name) => `{ ${name}: deliveryChanged { id } }`,
      (name) => RegExp(`{"data":{"${name}":{"id":"ID"}}}`),
    ],
    ['a leaf', (name) => `{ deliveryChanged { ${name}: id } }`, (name) => RegExp(`:{"${name}":"ID"}`)],
    [
      'an object',
      (name) => `{ deliveryChanged { id ${name}: event { ${name}: type } } }`,
      (name) => RegExp(`:{"id":"ID","${name}":{"${name}":"webhook.ping"}}`),
    ],
    [
      'a list',
      (name) => `{ deliveryChanged { id ${name}: attempts { ${name}: number } } }`,
      (name) => RegExp(`:{"id":"ID","${name}":\\[\\]}`),
    ],
    [
      'the operation, a variable, a fragment',
      (name) =>
        `${name}($${name}: UUID) { deliveryChanged(webhookId: $${name}) { ...${name} } } fragment ${name} on Delivery { id }`,
      () => /:{"id":"ID"}/,
    ],
  ])('%s may be called what JavaScript calls something', { timeout: 60_000 }, async (_place, document, expected) => {
    const { webhookId } = await makeDelivery(acme);
    for (let from = 0; from < javaScriptNames.length; from += 10) {
      const names = javaScriptNames.slice(from, from + 10);
      const begun = await Promise.all(names.map((name) => streamOf(askFor(`subscription ${document(name)}`, acme))));
      const id = await ping(acme, webhookId);
      await until(() => begun.every(({ text, closed }) => text.includes('event: next') || closed));
      for (const [at, name] of names.entries()) {
        expect({ name, text: begun[at]?.text.replace(id, 'ID') }).toEqual({
          name,
          text: expect.stringMatching(expected(name)),
        });
      }
      for (const stream of begun) stream.hangUp();
      await until(async () => (await watched()) === 0);
    }
  });

  it('of one webhook only, where it is named', async () => {
    const [one, other] = [await makeDelivery(acme), await makeDelivery(acme)];
    const stream = await subscribe(acme, `(webhookId: "${one.webhookId}")`);
    await ping(acme, other.webhookId);
    const id = await ping(acme, one.webhookId);
    await until(() => stream.told.length > 0);
    expect(stream.told.map((each) => each.id)).toEqual([id]);
  });

  it('only the tenant’s own, whatever webhook is named', async () => {
    const [ours, theirs] = [await makeDelivery(acme), await makeDelivery(globex)];
    const all = await subscribe(acme);
    const named = await subscribe(acme, `(webhookId: "${theirs.webhookId}")`);
    const foreign = await subscribe(globex);
    const theirPing = await ping(globex, theirs.webhookId);
    const ourPing = await ping(acme, ours.webhookId);
    await until(() => all.told.length > 0 && foreign.told.length > 0);
    expect(all.told.map(({ id }) => id)).toEqual([ourPing]);
    expect(foreign.told.map(({ id }) => id)).toEqual([theirPing]);
    expect(named.told).toEqual([]);
    expect(all.text + named.text).not.toContain(theirPing);
  });

  it('what is rolled back is not told', async () => {
    const { webhookId, eventId } = await makeDelivery(acme);
    const stream = await subscribe(acme);
    await expect(
      acme.db.$transaction(async (db) => {
        await db.delivery.create({ data: { webhookId, eventId, nextAttemptAt: new Date() } });
        throw new Error('Rolled back');
      }),
    ).rejects.toThrow('Rolled back');
    const id = await ping(acme, webhookId);
    await until(() => stream.told.length > 0);
    expect(stream.told.map((each) => each.id)).toEqual([id]);
  });

  it('from any process: by one connection in each, however many subscribe', async () => {
    const other = await startService({ database: { url: databaseUrl(), drop: async () => {} } });
    const { webhookId } = await makeDelivery(acme);
    const all = [await subscribe(acme), await subscribe(acme, '', other.url), await subscribe(acme, '', other.url)];
    expect(await listening()).toHaveLength(2);
    const id = await ping(acme, webhookId);
    await until(() => all.every(({ told }) => told.length > 0));
    expect(all.map(({ told }) => told.map((each) => each.id))).toEqual([[id], [id], [id]]);
    await other.close();
  });

  it('a token without webhooks:read is refused, and nothing is watched for it', async () => {
    await until(async () => (await watched()) === 0);
    const { token } = await createToken(service.client, {
      tenantId: acme.tenantId,
      abilities: ['invoices:read', 'write'],
    });
    const answer = await asIntegrator(service, { ...acme, token }).graphqlAnswer(
      `subscription { deliveryChanged { ${fields} } }`,
    );
    expect(refusal(answer)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await watched()).toBe(0);
  });

  it('a webhookId that is none is refused', async () => {
    const answer = await acme.graphqlAnswer('subscription ($id: UUID) { deliveryChanged(webhookId: $id) { id } }', {
      id: 'x',
    });
    expect(refusal(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors: { id: ['Must be a UUID.'] } });
  });
});

const databaseUrl = (): string => String((service.pool.options as { connectionString?: string }).connectionString);

describe('a subscription ends', () => {
  const tokenOf = async (): Promise<Integrator & { revoke: () => Promise<unknown> }> => {
    const who = await service.integrator();
    return { ...who, revoke: () => revokeToken(service.client, who.tokenId) };
  };

  it.each([
    ['its token is revoked', async (who: Integrator) => revokeToken(service.client, who.tokenId)],
    [
      'its user leaves the tenant',
      async ({ tenantId, userId }: Integrator) => {
        const { email } = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
        await removeUser(service.client, { email, tenantId });
      },
    ],
    ['its tenant is closed', async ({ tenantId }: Integrator) => closeTenant(service.client, tenantId)],
    [
      'its session is ended',
      async ({ userId }: Integrator) => service.client.session.deleteMany({ where: { userId } }),
    ],
  ])('at once when %s, in every process, and hears nothing of what happens later', async (what, end) => {
    const elsewhere = await startService({ database: { url: databaseUrl(), drop: async () => {} } });
    const staying = await service.integrator();
    const { browser, ...signedInUser } = await signedIn(service);
    const db = forTenant(service.books, signedInUser.tenantId);
    const who = what.includes('session') ? { ...acme, ...signedInUser, db } : await tokenOf();
    const visitor = what.includes('session') ? { browser } : who;
    const both = [await subscribe(visitor), await subscribe(visitor, '', elsewhere.url)];
    const other = await subscribe(staying);
    await makeDelivery(who); // heard, so that it is known to work
    await until(() => both.every((stream) => stream.told.length === 1));
    await end(who);
    await makeDelivery(who);
    await until(() => both.every((stream) => stream.closed));
    for (const stream of both) {
      expect(stream.told).toHaveLength(1);
      expect(stream.text).not.toContain('complete'); // so that its client comes again, and hears why not
    }
    expect(other.closed).toBe(false);
    await elsewhere.close();
  });

  it('when its token expires', async () => {
    const who = await service.integrator();
    const expiresAt = new Date(Date.now() + 1500);
    const { token } = await createToken(service.client, { tenantId: who.tenantId, expiresAt });
    const stream = await subscribe({ token });
    expect(stream.closed).toBe(false);
    await until(() => stream.closed);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });

  it('when what it was admitted by ended before it had begun', async () => {
    const who = await tokenOf();
    await until(async () => (await watched()) === 0);
    const holder = await service.pool.connect();
    const lock = [`${who.tenantId} deliveries`];
    await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
    const asking = ask(who);
    const answered = once(asking, 'response').catch(() => []);
    await until(async () => (await watched()) === 1); // admitted; waits for the lock
    await who.revoke();
    await holder.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    holder.release();
    const [answer] = (await answered) as [IncomingMessage?];
    if (answer) {
      const stream = new Stream(answer);
      await until(() => stream.closed);
    }
    await until(async () => (await watched()) === 0);
  });

  it('after its session has ended; watching doesn’t keep a session awake', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { browser, userId, tenantId } = await signedIn(service);
      const stream = await subscribe({ browser });
      service.clock.now = new Date(Date.now() + 10 * 60_000);
      await vi.advanceTimersByTimeAsync(checkEveryMs);
      const { lastSeenAt } = await service.client.session.findFirstOrThrow({ where: { userId } });
      expect(lastSeenAt.getTime()).toBeLessThan(service.clock.now.getTime() - 9 * 60_000);
      const db = forTenant(service.books, tenantId);
      const { id } = await makeDelivery({ ...acme, tenantId, db });
      await until(() => stream.told.length > 0);
      expect(stream.told[0]).toMatchObject({ id });

      service.clock.now = new Date(Date.now() + 31 * 60_000); // half an hour without a request
      await vi.advanceTimersByTimeAsync(checkEveryMs);
      await until(() => stream.closed);
    } finally {
      service.clock.now = undefined;
      vi.useRealTimers();
    }
  });

  it('when the connection to the database is lost; the next one opens it again', async () => {
    const { webhookId } = await makeDelivery(acme);
    const lost = await subscribe(acme);
    const [pid] = await listening();
    await service.pool.query('select pg_terminate_backend($1)', [pid]);
    await until(() => lost.closed);
    const stream = await subscribe(acme);
    const id = await ping(acme, webhookId);
    await until(() => stream.told.length > 0);
    expect(stream.told.map((each) => each.id)).toEqual([id]);
  });

  it('when the service stops: at once', async () => {
    const stopping = await startService({ database: { url: databaseUrl(), drop: async () => {} } });
    const stream = await subscribe(acme, '', stopping.url);
    await stopping.close();
    await until(() => stream.closed);
  });

  it('with its client, and leaves nothing behind', async () => {
    await until(async () => (await watched()) === 0);
    const five = await Promise.all(Array.from({ length: 5 }, () => subscribe(acme)));
    expect(await watched()).toBe(1); // one lock, held five times
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const during = timers();
    for (const stream of five) stream.hangUp();
    await until(async () => (await watched()) === 0);
    await until(() => timers() <= during - 5);
  });

  it('with its client, also one that is gone before it has begun', async () => {
    await until(async () => (await watched()) === 0);
    const holder = await service.pool.connect();
    const lock = [`${acme.tenantId} deliveries`];
    await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
    const logged = service.log.length;
    const asking = ask(acme).on('error', () => {});
    await until(async () => (await watched()) === 1); // waits for the lock
    asking.destroy();
    await until(() => service.log.slice(logged).some((line) => line.includes('"aborted":true')));
    await holder.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    holder.release();
    await until(async () => (await watched()) === 0);
  });
});

it('a slow reader: what waits is bounded, and then it is cut off', async () => {
  const { webhookId, eventId } = await makeDelivery(acme);
  const stream = await subscribe(acme);
  stream.answer.pause();
  const made = { webhookId, eventId, state: 'DELIVERED', finishedAt: new Date() } as const;
  const many = Array.from({ length: 1500 }, () => made);
  await acme.db.delivery.createMany({ data: many });
  stream.answer.resume();
  await until(() => stream.closed);
  expect(stream.told.length).toBeLessThan(1500);
  await until(async () => (await watched()) === 0);
});

it('one subscription is one request of the limit', async () => {
  const limited = await startService({
    database: { url: databaseUrl(), drop: async () => {} },
    limiter: () => createRateLimiter({ limit: 2, store: memoryStore() }),
  });
  const { webhookId, eventId } = await makeDelivery(acme);
  const stream = await subscribe(acme, '', limited.url);
  expect(stream.answer.headers['x-ratelimit-remaining']).toBe('1');
  for (let count = 1; count <= 3; count++) {
    await acme.db.delivery.create({ data: { webhookId, eventId, nextAttemptAt: new Date() } });
    await until(() => stream.told.length === count);
  }
  expect((await subscribe(acme, '', limited.url)).answer.headers['x-ratelimit-remaining']).toBe('0');
  await limited.close();
});

it('at most 100 of a tenant are open at once', async () => {
  const who = await service.integrator();
  await Promise.all(Array.from({ length: 100 }, () => subscribe(who)));
  const answer = await who.graphqlAnswer(`subscription { deliveryChanged { ${fields} } }`);
  expect(refusal(answer)).toMatchObject({ code: 'RATE_LIMITED' });
});

it('none of this was a fault', () => {
  expect(service.log.filter((line) => JSON.parse(line).level > 30)).toEqual([]);
});
