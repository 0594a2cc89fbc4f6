import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { makeCustomer } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { byHand, createWebhook, startReceiver, type Receiver } from '../webhooks/receiver.ts';
import { startTestTenant } from './make.ts';

// POST /test-helpers/webhooks/{id}/failures: receivers that seem to fail.

let service: Service;
let acme: Integrator;
let test: Integrator;
let receiver: Receiver;
let id: string;
let worker: ReturnType<typeof byHand>;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await service.close();
});
beforeEach(async () => {
  await service.client.tenant.deleteMany({ where: { testOf: acme.tenantId } });
  test = await startTestTenant(service, acme);
  receiver.requests.length = 0;
  ({ id } = await createWebhook(test, { url: receiver.url }));
  worker = byHand(service, test);
  return () => worker.close();
});

const simulate = (body: object, { who = test, webhook = id } = {}) =>
  who.rest('POST', `/test-helpers/webhooks/${webhook}/failures`, body);
const attempts = () => test.db.deliveryAttempt.findMany({ orderBy: { number: 'asc' } });

describe('a simulated failure', () => {
  it.each<[string, number | null, string | null]>([
    ['server_error', 500, null],
    ['timeout', null, 'timed out (simulated)'],
    ['connection_refused', null, 'connection refused (simulated)'],
  ])('%s is in the delivery log, and no byte leaves', async (failure, status, error) => {
    const answer = await simulate({ failure, attempts: 2 });
    expect([answer.status, answer.body.data]).toEqual([200, { failure, attempts: 2, retry_after: null }]);
    await makeCustomer(test);
    await worker.run();
    expect(receiver.requests).toEqual([]);
    expect(await attempts()).toMatchObject([{ status, error, number: 1 }]);
    const [delivery] = (await test.rest('GET', '/deliveries')).body.data;
    expect(delivery).toMatchObject({ state: 'waiting', attempts: [{ status, error }] });
  });

  it('with Retry-After ends after its attempts, by the test clock, and then the receiver is asked', async () => {
    await simulate({ failure: 'too_many_requests', attempts: 1, retry_after: 30 });
    await makeCustomer(test);
    await worker.run();
    const [first] = await attempts();
    expect(first).toMatchObject({ status: 429, responseHeaders: { 'retry-after': '30' } });
    await test.rest('POST', '/test-clock', { now: new Date(Date.now() + 60_000).toISOString() });
    await worker.run();
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.headers['x-service-attempt']).toBe('2');
    expect(await test.db.delivery.findMany()).toMatchObject([{ state: 'DELIVERED', attemptCount: 2 }]);
  });

  it('can be ended, and fails no other webhook', async () => {
    const { id: beside } = await createWebhook(test, { url: `${receiver.url}/beside` });
    await simulate({ failure: 'timeout', attempts: 10_000 });
    await makeCustomer(test);
    await worker.run();
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/beside']);
    expect((await simulate({ failure: 'timeout', attempts: 0 })).body.data.attempts).toBe(0);
    await makeCustomer(test);
    await worker.run();
    expect(receiver.requests.map(({ path }) => path).toSorted()).toEqual(['/', '/beside', '/beside']);
    expect((await test.rest('GET', `/webhooks/${beside}`)).body.data.consecutive_failures).toBe(0);
  });

  it('of every attempt deactivates the webhook, as failures do', async () => {
    await test.db.webhook.updateMany({ data: { consecutiveFailures: 99 } });
    await simulate({ failure: 'server_error', attempts: 100 });
    await makeCustomer(test);
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await worker.run();
      await test.rest('POST', '/test-clock', { now: new Date(Date.now() + attempt * 40 * 3_600_000).toISOString() });
    }
    expect((await test.rest('GET', `/webhooks/${id}`)).body.data).toMatchObject({
      active: false,
      consecutive_failures: 100,
    });
    expect(receiver.requests).toEqual([]);
  });
});

describe('simulated failures', () => {
  it('of attempts made at once are as many as were asked for', async () => {
    await simulate({ failure: 'server_error', attempts: 3 });
    for (let made = 0; made < 8; made += 1) await makeCustomer(test);
    // A delivery that its endpoint has no room for is put off.
    const left = () => test.db.delivery.count({ where: { attemptCount: 0 } });
    do await Promise.all([worker.run(), worker.run()]);
    while ((await left()) > 0);
    // On a slow machine some failed ones are due again by now.
    const statuses = (await attempts()).map(({ status }) => status);
    expect(statuses.filter((status) => status === 500)).toHaveLength(3);
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
  });

  it('leave version, audit log, and events alone', async () => {
    const before = await test.db.auditEntry.count();
    await simulate({ failure: 'server_error', attempts: 3 });
    expect((await test.rest('GET', '/audit-log')).body.data.length).toBeLessThanOrEqual(before);
    expect((await test.graphql('query ($id: UUID!) { webhook(id: $id) { version } }', { id })).webhook.version).toBe(1);
  });

  it('are for a test tenant’s own webhooks, and for tokens with the abilities', async () => {
    const failing = { failure: 'server_error', attempts: 1 };
    const live = await createWebhook(acme, { url: receiver.url });
    const [ofLive, foreign] = [
      await simulate(failing, { who: acme, webhook: live.id }),
      await simulate(failing, { webhook: live.id }),
    ];
    expect([ofLive.status, ofLive.body.message, foreign.status]).toEqual([
      403,
      'Only in a test tenant: use a token of one, which begins with kontor_test_.',
      404,
    ]);
    expect(await acme.db.webhook.count({ where: { active: true } })).toBe(1);
    for (const abilities of [['webhooks:read'], ['webhooks:write']]) {
      const { token, id: tokenId } = await createToken(service.client, { tenantId: test.tenantId, abilities });
      expect((await simulate(failing, { who: asIntegrator(service, { ...test, token, tokenId }) })).status).toBe(403);
    }
  });

  it.each<[string, object, string]>([
    ['more attempts than are useful', { failure: 'timeout', attempts: 10_001 }, 'out_of_range'],
    ['fewer than none', { failure: 'timeout', attempts: -1 }, 'out_of_range'],
    ['what is no failure', { failure: 'success', attempts: 1 }, 'unknown_value'],
    ['Retry-After without an answer', { failure: 'timeout', attempts: 1, retry_after: 3 }, 'inconsistent'],
    ['Retry-After of years', { failure: 'too_many_requests', attempts: 1, retry_after: 86_401 }, 'out_of_range'],
  ])('are not %s', async (_what, body, code) => {
    const answer = await simulate(body);
    expect([answer.status, answer.body.details]).toMatchObject([422, [{ code }]]);
  });
});
