import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { makeDelivery, samples } from '../resources.ts';
import * as sample from './samples.ts';
import { refusal } from './samples.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator();
  globex = await service.integrator({ name: 'Globex' });
});
afterAll(() => service.close());

const withAbilities = async (...abilities: string[]): Promise<Integrator> => {
  const { id, token } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
  return asIntegrator(service, { ...acme, token, tokenId: id });
};

const waiting = {
  id: sample.anId,
  webhook_id: sample.anId,
  event_id: sample.anId,
  event_type: 'customer.created',
  kind: 'event',
  state: 'waiting',
  attempt_count: 0,
  attempts: [],
  next_attempt_at: sample.aTime,
  created_at: sample.aTime,
  finished_at: null,
};

/** A delivery with an attempt whose recorded answer is as long as any. */
async function makeFailed(who: Integrator): Promise<string> {
  const deliveryId = await makeDelivery(who);
  const startedAt = new Date('2026-03-01T10:00:00Z');
  const attempt = { deliveryId, number: 1, startedAt, durationMs: 12, status: 500, error: 'Answered with 500' };
  const recorded = { requestHeaders: { a: 'secret' }, responseHeaders: {}, responseBody: Buffer.alloc(16_384, '"') };
  await who.db.deliveryAttempt.create({ data: { ...attempt, ...recorded } });
  const finished = { state: 'FAILED', attemptCount: 1, nextAttemptAt: null, finishedAt: startedAt } as const;
  await who.db.delivery.updateMany({ where: { id: deliveryId }, data: finished });
  return deliveryId;
}

describe('deliveries over REST', () => {
  it('are listed newest first, and read, with what each attempt was answered, but not the recorded bytes', async () => {
    const [first, failed] = [await makeDelivery(acme), await makeFailed(acme)];
    const list = await acme.rest('GET', '/deliveries');
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([failed, first]);
    expect(list.body.data[1]).toEqual({ ...waiting, id: first });
    const { body, text } = await acme.rest('GET', `/deliveries/${failed}`);
    const time = '2026-03-01T10:00:00+00:00';
    expect(body).toEqual({
      data: {
        ...waiting,
        id: failed,
        state: 'failed',
        attempt_count: 1,
        attempts: [{ number: 1, started_at: time, duration_ms: 12, status: 500, error: 'Answered with 500' }],
        next_attempt_at: null,
        finished_at: time,
      },
    });
    expect(text.length).toBeLessThan(1000);
  });

  it('are filtered by webhook, event, and state', async () => {
    const [first, failed] = [await makeDelivery(acme), await makeFailed(acme)];
    const { webhook_id, event_id } = (await acme.rest('GET', `/deliveries/${first}`)).body.data;
    const ids = async (query: string): Promise<string[]> =>
      (await acme.rest('GET', `/deliveries?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids(`webhook_id=${webhook_id}`)).toEqual([first]);
    expect(await ids(`event_id=${event_id}`)).toEqual([first]);
    expect(await ids('state=failed')).toEqual([failed]);
    expect(await ids('event=customer.created')).toEqual([failed, first]);
    expect(await ids('event=invoice.paid')).toEqual([]);
    refusal(await acme.rest('GET', '/deliveries?state=lost'), 422);
  });

  it('are made again by redeliver: another delivery of the same event, and no more than ten a minute', async () => {
    const failed = await makeFailed(acme);
    const { webhook_id, event_id } = (await acme.rest('GET', `/deliveries/${failed}`)).body.data;
    const again = await acme.rest('POST', `/deliveries/${failed}/redeliver`);
    expect([again.status, again.body]).toEqual([
      200,
      { data: { ...waiting, webhook_id, event_id, kind: 'redelivery' } },
    ]);
    expect(again.body.data.id).not.toBe(failed);
    for (let time = 1; time < 10; time += 1)
      expect((await acme.rest('POST', `/deliveries/${failed}/redeliver`)).status).toBe(200);
    refusal(await acme.rest('POST', `/deliveries/${failed}/redeliver`), 429);
    expect(await acme.db.delivery.count()).toBe(11);

    // Another tenant has a count of its own.
    const theirs = await makeFailed(globex);
    expect((await globex.rest('POST', `/deliveries/${theirs}/redeliver`)).status).toBe(200);
  });

  it('are not sent again to a webhook that is off, but a ping is', async () => {
    const failed = await makeFailed(acme);
    const { webhook_id } = (await acme.rest('GET', `/deliveries/${failed}`)).body.data;
    await acme.rest('PATCH', `/webhooks/${webhook_id}`, { active: false });
    refusal(await acme.rest('POST', `/deliveries/${failed}/redeliver`), 422);
    const ping = await acme.rest('POST', `/webhooks/${webhook_id}/ping`);
    const made = { ...waiting, webhook_id, event_type: 'webhook.ping', kind: 'ping' };
    expect([ping.status, ping.body]).toEqual([200, { data: made }]);
  });

  it('with an Idempotency-Key are made once', async () => {
    const webhook = await samples.Webhook.make(acme);
    const key = { 'Idempotency-Key': 'ping-1' };
    const first = await acme.rest('POST', `/webhooks/${webhook}/ping`, undefined, key);
    expect((await acme.rest('POST', `/webhooks/${webhook}/ping`, undefined, key)).body).toEqual(first.body);
    expect(await acme.db.delivery.count()).toBe(1);
  });

  it('of another tenant are unknown, and change nothing there', async () => {
    const failed = await makeFailed(acme);
    const { webhook_id } = (await acme.rest('GET', `/deliveries/${failed}`)).body.data;
    refusal(await globex.rest('GET', `/deliveries/${failed}`), 404);
    refusal(await globex.rest('POST', `/deliveries/${failed}/redeliver`), 404);
    refusal(await globex.rest('POST', `/webhooks/${webhook_id}/ping`), 404);
    expect((await globex.rest('GET', `/deliveries?webhook_id=${webhook_id}`)).body.data).toEqual([]);
    expect(await acme.db.delivery.count()).toBe(1);
  });

  it('are only those whose events the token may read', async () => {
    const failed = await makeFailed(acme);
    const blind = await withAbilities('webhooks:read', 'webhooks:write', 'invoices:read');
    expect((await blind.rest('GET', '/deliveries')).body.data).toEqual([]);
    refusal(await blind.rest('GET', `/deliveries/${failed}`), 403);
    refusal(await blind.rest('POST', `/deliveries/${failed}/redeliver`), 403);
    refusal(await blind.rest('GET', '/deliveries?event=customer.created'), 403);
  });

  it('are only sent again by who may read their event, whatever events the webhook has by now', async () => {
    const failed = await makeFailed(acme);
    const { webhook_id } = (await acme.rest('GET', `/deliveries/${failed}`)).body.data;
    await acme.rest('PATCH', `/webhooks/${webhook_id}`, { events: ['invoice.paid'] });
    const blind = await withAbilities('webhooks:read', 'webhooks:write', 'invoices:read');
    refusal(await blind.rest('POST', `/deliveries/${failed}/redeliver`), 403);
    const missed = `mutation { redeliverMissed(webhookId: "${webhook_id}", since: "2020-01-01T00:00:00Z") }`;
    expect((await blind.graphqlAnswer(missed)).body.errors[0].message).toContain('customers:read');
    expect(await acme.db.delivery.count()).toBe(1);
    const seeing = await withAbilities('webhooks:write', 'invoices:read', 'customers:read');
    expect((await seeing.rest('POST', `/deliveries/${failed}/redeliver`)).status).toBe(200);
  });
});
