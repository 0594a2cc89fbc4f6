import { describe, expect, it, onTestFinished } from 'vitest';
import { createToken } from '../../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../../src/security/rate-limit.ts';
import { javaScriptNames } from '../../javascript-names.ts';
import { startTestTenant } from '../../test-tenants/make.ts';
import { asIntegrator, onEachServer, startService } from '../../harness.ts';
import { makeDelivery, refusal } from '../books.ts';
import {
  service,
  acme,
  globex,
  serveSubscriptions,
  fields,
  sendSubscription,
  subscribe,
  openStream,
  until,
  listening,
  watched,
  ping,
  databaseUrl,
} from './subscriptions.ts';

serveSubscriptions();

it('without subscriptions no connection listens, and no notification is sent', async () => {
  const quiet = await startService(); // a service that had a subscription keeps its connection
  onTestFinished(quiet.close);
  const hooli = await quiet.integrator();
  const { webhookId } = await makeDelivery(hooli);
  const client = await quiet.pool.connect();
  const received: unknown[] = [];
  client.on('notification', (notification) => received.push(notification));
  await client.query('listen deliveries');
  await ping(hooli, webhookId);
  await client.query('select 1');
  expect(await listening(quiet)).toEqual([]);
  expect(received).toEqual([]);
  client.release(true);
});

describe('deliveryChanged', () => {
  it('begins once each transaction is over that did not see it', async () => {
    const { webhookId } = await makeDelivery(acme);
    const transaction = await service.pool.connect();
    await transaction.query('begin');
    await transaction.query('update deliveries set attempt_count = attempt_count where tenant_id = $1', [
      acme.tenantId,
    ]);
    const beginning = subscribe(acme);
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
    await until(async () => (await onEachServer(service, waiting)).length === 1);
    await transaction.query('commit');
    transaction.release();
    const stream = await beginning;
    const id = await ping(acme, webhookId);
    await until(() => stream.changes.length === 1);
    expect(stream.changes[0]).toMatchObject({ id });
  });

  it('sends a delivery with its state when it is created, attempted, and finished', async () => {
    const { webhookId } = await makeDelivery(acme);
    const stream = await subscribe(acme);
    expect(stream.answer.statusCode).toBe(200);
    expect(stream.answer.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(stream.answer.headers['cache-control']).toBe('no-store');
    const id = await ping(acme, webhookId);
    await until(() => stream.changes.length === 1);
    expect(stream.changes[0]).toEqual({
      id,
      webhookId,
      state: 'WAITING',
      attemptCount: 0,
      event: { type: 'webhook.ping' },
    });
    await acme.db.delivery.updateMany({ where: { id }, data: { attemptCount: 1, nextAttemptAt: new Date() } });
    await until(() => stream.changes.length === 2);
    expect(stream.changes[1]).toMatchObject({ id, state: 'WAITING', attemptCount: 1 });
    const finished = { state: 'DELIVERED', nextAttemptAt: null, finishedAt: new Date() } as const;
    await acme.db.delivery.updateMany({ where: { id }, data: finished });
    await until(() => stream.changes.length === 3);
    expect(stream.changes[2]).toMatchObject({ id, state: 'DELIVERED', attemptCount: 1 });
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
  ])('%s may have a name of JavaScript’s', { timeout: 60_000 }, async (_place, document, expected) => {
    const { webhookId } = await makeDelivery(acme);
    for (let from = 0; from < javaScriptNames.length; from += 10) {
      const names = javaScriptNames.slice(from, from + 10);
      const begun = await Promise.all(
        names.map((name) => openStream(sendSubscription(`subscription ${document(name)}`, acme))),
      );
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

  it('sends only deliveries of the webhook that is named', async () => {
    const [one, other] = [await makeDelivery(acme), await makeDelivery(acme)];
    const stream = await subscribe(acme, `(webhookId: "${one.webhookId}")`);
    await ping(acme, other.webhookId);
    const id = await ping(acme, one.webhookId);
    await until(() => stream.changes.length > 0);
    expect(stream.changes.map((each) => each.id)).toEqual([id]);
  });

  it('sends only the tenant’s own deliveries, also with another’s webhook', async () => {
    const [ours, theirs] = [await makeDelivery(acme), await makeDelivery(globex)];
    const all = await subscribe(acme);
    const named = await subscribe(acme, `(webhookId: "${theirs.webhookId}")`);
    const foreign = await subscribe(globex);
    const theirPing = await ping(globex, theirs.webhookId);
    const ourPing = await ping(acme, ours.webhookId);
    await until(() => all.changes.length > 0 && foreign.changes.length > 0);
    expect(all.changes.map(({ id }) => id)).toEqual([ourPing]);
    expect(foreign.changes.map(({ id }) => id)).toEqual([theirPing]);
    expect(named.changes).toEqual([]);
    expect(all.text + named.text).not.toContain(theirPing);
  });

  it('sends nothing of a transaction that is rolled back', async () => {
    const { webhookId, eventId } = await makeDelivery(acme);
    const stream = await subscribe(acme);
    await expect(
      acme.db.$transaction(async (db) => {
        await db.delivery.create({ data: { webhookId, eventId, nextAttemptAt: new Date() } });
        throw new Error('Rolled back');
      }),
    ).rejects.toThrow('Rolled back');
    const id = await ping(acme, webhookId);
    await until(() => stream.changes.length > 0);
    expect(stream.changes.map((each) => each.id)).toEqual([id]);
  });

  it('sends changes of any process, over one connection for all subscriptions of a process', async () => {
    const other = await startService({ database: { url: databaseUrl(), drop: async () => {} } });
    const { webhookId } = await makeDelivery(acme);
    const all = [await subscribe(acme), await subscribe(acme, '', other.url), await subscribe(acme, '', other.url)];
    expect(await listening()).toHaveLength(2);
    const id = await ping(acme, webhookId);
    await until(() => all.every(({ changes }) => changes.length > 0));
    expect(all.map(({ changes }) => changes.map((each) => each.id))).toEqual([[id], [id], [id]]);
    await other.close();
  });

  it('rejects a token without webhooks:read, and takes no lock for it', async () => {
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

  it('omits deliveries of events that the token may not read', async () => {
    const { webhookId } = await makeDelivery(acme);
    const abilities = ['webhooks:read', 'customers:read'];
    const stream = await subscribe(await createToken(service.client, { tenantId: acme.tenantId, abilities }));
    const { id: eventId } = await acme.db.event.create({ data: { type: 'invoice.paid', body: '{}' } });
    await acme.db.delivery.create({ data: { webhookId, eventId, nextAttemptAt: new Date() } });
    const id = await ping(acme, webhookId);
    await until(() => stream.changes.length > 0);
    expect(stream.changes.map((each) => each.id)).toEqual([id]);
  });

  it('rejects an invalid webhookId', async () => {
    const answer = await acme.graphqlAnswer('subscription ($id: UUID) { deliveryChanged(webhookId: $id) { id } }', {
      id: 'x',
    });
    expect(refusal(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors: { id: ['Must be a UUID.'] } });
  });
});

it.each([
  'subscription { changes @skip(if: true) { cursor } }',
  'subscription { ... @include(if: false) { changes { cursor } } }',
  'subscription { ...None } fragment None on Subscription { changes @include(if: false) { cursor } }',
])('refuses one whose directives leave out its field: %s', async (query) => {
  const { status, body } = await acme.graphqlAnswer(query);
  expect(status).toBe(400);
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
});

it('without text/event-stream in Accept is refused with the reason, and watches nothing', async () => {
  const headers = { authorization: `Bearer ${acme.token}`, accept: 'application/json' };
  const query = `subscription { deliveryChanged { ${fields} } }`;
  const answer = await service.request('POST', '/graphql', { body: { query }, headers });
  expect(answer.status).toBe(406);
  expect(answer.body.errors[0].message).toContain('text/event-stream');
  await until(async () => (await watched()) === 0);
});

it('a slow reader is disconnected when too many changes are pending', async () => {
  const { webhookId, eventId } = await makeDelivery(acme);
  const stream = await subscribe(acme);
  stream.answer.pause();
  const made = { webhookId, eventId, state: 'DELIVERED', finishedAt: new Date() } as const;
  const many = Array.from({ length: 1500 }, () => made);
  await acme.db.delivery.createMany({ data: many });
  stream.answer.resume();
  await until(() => stream.closed);
  expect(stream.changes.length).toBeLessThan(1500);
  await until(async () => (await watched()) === 0);
});

it('one subscription counts as one request of the rate limit', async () => {
  const limited = await startService({
    database: { url: databaseUrl(), drop: async () => {} },
    limiter: () => createRateLimiter({ limit: 2, store: memoryStore() }),
  });
  const { webhookId, eventId } = await makeDelivery(acme);
  const stream = await subscribe(acme, '', limited.url);
  expect(stream.answer.headers['x-ratelimit-remaining']).toBe('1');
  for (let count = 1; count <= 3; count++) {
    await acme.db.delivery.create({ data: { webhookId, eventId, nextAttemptAt: new Date() } });
    await until(() => stream.changes.length === count);
  }
  expect((await subscribe(acme, '', limited.url)).answer.headers['x-ratelimit-remaining']).toBe('0');
  await limited.close();
});

it('a tenant can have at most 100 subscriptions, together with its test tenants', async () => {
  const who = await service.integrator();
  const ofTests = await startTestTenant(service, who);
  await Promise.all(Array.from({ length: 100 }, (_, index) => subscribe(index % 2 ? who : ofTests)));
  expect((await subscribe(ofTests)).answer.statusCode).toBe(429);
  const answer = await who.graphqlAnswer(`subscription { deliveryChanged { ${fields} } }`);
  expect(refusal(answer)).toMatchObject({ code: 'RATE_LIMITED' });
  // Clients of event streams try again later; one that is complete they would take for over.
  const { statusCode, headers } = (await subscribe(who)).answer;
  expect([statusCode, headers['retry-after']]).toEqual([429, '10']);
});

it('none of these tests caused an error in the log', () => {
  expect(service.log.filter((line) => JSON.parse(line).level > 30)).toEqual([]);
});
