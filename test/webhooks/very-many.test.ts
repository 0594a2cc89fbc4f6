import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beginAttempts } from '../../schema/resources/delivery/attempts.ts';
import { startService, withoutTriggers, type Integrator, type Service } from '../harness.ts';
import { openStream, sendSubscription } from '../graphql/subscriptions/subscriptions.ts';
import { createWebhook, schedule, until } from './receiver.ts';

// Webhooks with more deliveries than one request can handle. Their rows are made by hand, without jobs.

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterAll(() => service.close());

/** Makes deliveries to a webhook, each of an event of its own; the first is the oldest. */
const fill = (webhookId: string, count: number, state: 'waiting' | 'set_aside') =>
  withoutTriggers(service, (client) =>
    client.query(
      `with event as (
         insert into events (tenant_id, id, type, body, created_at, fanned_out_at)
         select $1, uuidv7(make_interval(secs => number - $3)), 'customer.created', '{}', now(), now()
         from generate_series(1, $3::int) as number
         returning id
       )
       insert into deliveries (tenant_id, id, webhook_id, event_id, state, next_attempt_at, finished_at, created_at)
       select $1, id, $2, id, $4::delivery_state, case when $4 = 'waiting' then now() + interval '1 hour' end,
         case when $4 <> 'waiting' then now() end, now()
       from event`,
      [acme.tenantId, webhookId, count, state],
    ),
  );

describe('redelivering what a webhook has missed', () => {
  const redeliver = async (webhookId: string): Promise<number> => {
    const missed = `mutation { redeliverMissed(webhookId: "${webhookId}", since: "2020-01-01T00:00:00Z") }`;
    return (await acme.graphql(missed)).redeliverMissed;
  };

  it('redelivers very many events in several calls, the oldest first, and none twice', async () => {
    const { id } = await createWebhook(acme, { url: 'https://hooks.example.com' });
    await fill(id, 33_000, 'set_aside');
    expect(await redeliver(id)).toBe(20_000);
    const oldest = await acme.db.delivery.findMany({
      where: { webhookId: id, state: 'SET_ASIDE' },
      orderBy: { id: 'asc' },
      take: 20_000,
      select: { eventId: true },
    });
    const made = await acme.db.delivery.findMany({
      where: { kind: 'REDELIVERY' },
      select: { eventId: true, state: true },
    });
    expect(new Set(made.map(({ eventId }) => eventId))).toEqual(new Set(oldest.map(({ eventId }) => eventId)));
    expect(new Set(made.map(({ state }) => state))).toEqual(new Set(['WAITING']));
    expect(await redeliver(id)).toBe(13_000);
    expect(await redeliver(id)).toBe(0);
  });
});

describe('deleting a webhook', () => {
  const remove = (id: string) => acme.graphql('mutation ($id: UUID!) { deleteWebhook(id: $id) { id } }', { id });
  const count = (webhookId: string, state: 'WAITING' | 'SET_ASIDE') =>
    acme.db.delivery.count({ where: { webhookId, state } });
  const rules = { retryDelaysMs: schedule, attemptMs: 16_000 };

  it('sets aside a part of very many waiting deliveries, and the others when they are due', async () => {
    const { id } = await createWebhook(acme, { url: 'https://hooks.example.com' });
    // The planner knows of no waiting delivery.
    await service.pool.query('analyze deliveries');
    await fill(id, 10_100, 'waiting');
    await remove(id);
    expect([await count(id, 'WAITING'), await count(id, 'SET_ASIDE')]).toEqual([100, 10_000]);
    const others = await acme.db.delivery.findMany({
      where: { webhookId: id, state: 'WAITING' },
      select: { id: true },
    });
    const due = others.map((delivery) => delivery.id);
    expect(await beginAttempts(acme.db, due, new Date(), rules, () => ({}))).toEqual(due.map(() => undefined));
    expect([await count(id, 'WAITING'), await count(id, 'SET_ASIDE')]).toEqual([0, 10_100]);
    expect(await acme.db.deliveryAttempt.count()).toBe(0);
  });

  it('sets aside very many while somebody follows them, in a session that had few before', async () => {
    const { id } = await createWebhook(acme, { url: 'https://hooks.example.com' });
    await fill(id, 10_000, 'waiting');
    const stream = await openStream(sendSubscription('subscription { deliveryChanged { id } }', acme, service.url));
    const { id: first } = await acme.db.delivery.findFirstOrThrow({ where: { webhookId: id } });
    await acme.db.delivery.updateMany({ where: { id: first }, data: { nextAttemptAt: new Date() } });
    await until(() => stream.text.includes(first), 'the announcement');
    await remove(id);
    expect([await count(id, 'WAITING'), await count(id, 'SET_ASIDE')]).toEqual([0, 10_000]);
    stream.hangUp();
  });

  it('sets aside all of fewer', async () => {
    const { id } = await createWebhook(acme, { url: 'https://hooks.example.com' });
    await fill(id, 1000, 'waiting');
    await remove(id);
    expect([await count(id, 'WAITING'), await count(id, 'SET_ASIDE')]).toEqual([0, 1000]);
  });
});
