import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beginAttempt, planDeliveries } from '../../schema/resources/delivery/attempts.ts';
import { createToken } from '../../src/identity/index.ts';
import { emptyOutbox, makeInvoice } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { byHand, createWebhook, schedule, startReceiver, status, type Receiver } from './receiver.ts';

// Under a clock that the test holds; what the jobs do is done by hand.

let service: Service;
let acme: Integrator;
let hand: ReturnType<typeof byHand>;
let receiver: Receiver;
let answer: number;
const start = Date.parse('2026-06-01T12:00:00Z');

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => status(answer)(response));
});
beforeEach(async () => {
  service.clock.now = new Date(start);
  answer = 500;
  receiver.requests.length = 0;
  acme = await service.integrator();
  hand = byHand(service, acme);
  return () => hand.close();
});
afterAll(async () => {
  await receiver.close();
  await service.close();
});

const later = (ms: number): void => {
  service.clock.now = new Date((service.clock.now?.getTime() ?? 0) + ms);
};
const happen = async (times = 1): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    await acme.rest('POST', '/customers', { type: 'customer', company_name: `Buyer ${time}` });
  }
};
const webhook = async (id: string) =>
  (
    await acme.graphql(
      'query ($id: UUID!) { webhook(id: $id) { active consecutiveFailures disabledAt disabledReason waiting lastSuccessAt } }',
      { id },
    )
  ).webhook;
const log = async (args: string) =>
  (
    await acme.graphql(
      `{ deliveries(${args}) { totalCount nodes { id state kind attemptCount nextAttemptAt event { id } } } }`,
    )
  ).deliveries;

describe('retries', () => {
  it('come after 10 s, 100 s, 1,000 s, 10,000 s and 100,000 s, each ±10 %; then the delivery has failed', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await happen();
    await hand.run();
    for (const [index, delay] of schedule.entries()) {
      const attempt = service.clock.now?.getTime() ?? 0;
      const delivery = await acme.db.delivery.findFirstOrThrow({ where: { webhookId: id } });
      expect(delivery).toMatchObject({ state: 'WAITING', attemptCount: index + 1 });
      const waited = (delivery.nextAttemptAt?.getTime() ?? 0) - attempt;
      expect(waited).toBeGreaterThanOrEqual(delay * 0.9);
      expect(waited).toBeLessThanOrEqual(delay * 1.1);
      later(delay * 0.89);
      await hand.run();
      expect(receiver.requests).toHaveLength(index + 1);
      later(delay * 0.22);
      await hand.run();
      expect(receiver.requests).toHaveLength(index + 2);
    }
    expect((await log(`webhookId: "${id}"`)).nodes).toMatchObject([
      { state: 'FAILED', attemptCount: 6, nextAttemptAt: null },
    ]);
    expect(await webhook(id)).toMatchObject({ active: true, consecutiveFailures: 1 });
  });

  it('have a job in the queue at the time of the next attempt', async () => {
    await createWebhook(acme, { url: receiver.url });
    await happen();
    await hand.run();
    const delivery = await acme.db.delivery.findFirstOrThrow({});
    await emptyOutbox(service);
    const { rows } = await service.pool.query(
      `select run_at from graphile_worker._private_jobs where payload->>'deliveryId' = $1 order by id`,
      [delivery.id],
    );
    expect(rows.map(({ run_at }) => run_at)).toEqual([new Date(start), delivery.nextAttemptAt]);
  });
});

/** Fails `times` deliveries for good, whatever attempts they have left. */
async function failForGood(times: number): Promise<void> {
  await happen(times);
  await hand.run();
  await acme.db.delivery.updateMany({ where: { state: 'WAITING' }, data: { attemptCount: 5 } });
  later(20_000);
  await hand.run();
}

describe('the 100th failed delivery in a row', () => {
  it('deactivates the webhook and sets its waiting deliveries aside; later events are set aside too, and can be redelivered', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await acme.db.webhook.updateMany({ where: { id }, data: { consecutiveFailures: 98 } });
    await failForGood(1);
    expect(await webhook(id)).toMatchObject({ active: true, consecutiveFailures: 99, disabledReason: null });

    await happen(3);
    await hand.run();
    const [first] = await acme.db.delivery.findMany({ where: { state: 'WAITING' }, orderBy: { id: 'asc' } });
    await acme.db.delivery.updateMany({ where: { id: first?.id ?? '' }, data: { attemptCount: 5 } });
    later(20_000);
    await hand.run();
    expect(await webhook(id)).toMatchObject({
      active: false,
      consecutiveFailures: 100,
      disabledAt: expect.any(String),
      disabledReason: '100 deliveries in a row failed.',
      waiting: 0,
    });
    const sent = receiver.requests.length;
    await happen();
    later(1_000_000);
    await hand.run();
    expect(receiver.requests).toHaveLength(sent);
    expect((await log(`webhookId: "${id}", state: SET_ASIDE`)).totalCount).toBe(3);

    answer = 200;
    const missed = `mutation ($id: UUID!, $since: DateTime!) { redeliverMissed(webhookId: $id, since: $since) }`;
    const since = new Date(start - 1000).toISOString();
    await expect(acme.graphql(missed, { id, since })).rejects.toThrow('enable it first');
    await acme.graphql('mutation ($id: UUID!) { enableWebhook(id: $id) { id } }', { id });
    expect(await webhook(id)).toMatchObject({ active: true, consecutiveFailures: 0, disabledAt: null });
    expect(await acme.graphql(missed, { id, since })).toEqual({ redeliverMissed: 5 });
    expect(await acme.graphql(missed, { id, since }), 'they are on their way').toEqual({ redeliverMissed: 0 });
    await hand.run();
    expect(receiver.requests).toHaveLength(sent + 5);
    expect((await log(`webhookId: "${id}", state: DELIVERED`)).nodes.map(({ kind }: { kind: string }) => kind)).toEqual(
      Array.from({ length: 5 }, () => 'REDELIVERY'),
    );
  });

  it('is not sent one event more than ten times a minute on request, nor pinged more often', async () => {
    answer = 200;
    const { id } = await createWebhook(acme, { url: receiver.url });
    const other = await createWebhook(acme, { url: receiver.url });
    await happen(2);
    await hand.run();
    const [first, second] = (await log(`webhookId: "${id}"`)).nodes;
    const [elsewhere] = (await log(`webhookId: "${other.id}"`)).nodes;
    const ask = async (mutation: string) => (await acme.graphqlAnswer(`mutation { ${mutation} { id } }`)).body;
    const redeliver = (delivery: { id: string }) => ask(`redeliver(id: "${delivery.id}")`);
    const count = async (kind: 'REDELIVERY' | 'PING') => acme.db.delivery.count({ where: { kind, webhookId: id } });

    const answers = await Promise.all(Array.from({ length: 200 }, () => redeliver(first)));
    const refused = answers.filter(({ errors }) => errors).map(({ errors }) => errors[0].extensions);
    expect(refused).toHaveLength(190);
    for (const each of refused) expect(each).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 60 });
    expect(await count('REDELIVERY')).toBe(10);
    const again = answers.find(({ data }) => data?.redeliver).data.redeliver;
    expect((await redeliver(again)).errors[0].extensions.code, 'its redelivery is of the same event').toBe(
      'RATE_LIMITED',
    );
    for (const free of [second, elsewhere]) expect((await redeliver(free)).errors).toBeUndefined();

    const pings = await Promise.all(Array.from({ length: 30 }, () => ask(`pingWebhook(id: "${id}")`)));
    expect(pings.filter(({ errors }) => errors)).toHaveLength(20);
    expect(await count('PING')).toBe(10);
    later(60_000);
    expect([(await redeliver(first)).errors, (await ask(`pingWebhook(id: "${id}")`)).errors]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is counted from the last success; pings and manual redeliveries do not count', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await acme.db.webhook.updateMany({ where: { id }, data: { consecutiveFailures: 99 } });
    await acme.graphql('mutation ($id: UUID!) { pingWebhook(id: $id) { id } }', { id });
    await acme.db.delivery.updateMany({ where: { state: 'WAITING' }, data: { attemptCount: 5 } });
    await hand.run();
    expect((await log(`webhookId: "${id}", state: FAILED`)).totalCount).toBe(1);
    expect(await webhook(id)).toMatchObject({ active: true, consecutiveFailures: 99 });

    answer = 200;
    await acme.graphql('mutation ($id: UUID!) { pingWebhook(id: $id) { id } }', { id });
    await hand.run();
    expect(await webhook(id)).toMatchObject({ consecutiveFailures: 99 });
    await happen();
    await hand.run();
    expect(await webhook(id)).toMatchObject({
      active: true,
      consecutiveFailures: 0,
      lastSuccessAt: expect.any(String),
    });

    await acme.db.webhook.updateMany({ where: { id }, data: { consecutiveFailures: 99 } });
    answer = 500;
    const [done] = (await log(`webhookId: "${id}", state: DELIVERED, event: "customer.created"`)).nodes;
    await acme.graphql('mutation ($id: UUID!) { redeliver(id: $id) { id } }', { id: done.id });
    await acme.db.delivery.updateMany({ where: { state: 'WAITING' }, data: { attemptCount: 5 } });
    await hand.run();
    expect(await webhook(id)).toMatchObject({ active: true, consecutiveFailures: 99 });
  });
});

describe('a webhook that was turned off by failures', () => {
  it('counts from 0 again once a PATCH has turned it on', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await acme.db.webhook.updateMany({ where: { id }, data: { consecutiveFailures: 99 } });
    await failForGood(1);
    expect(await webhook(id)).toMatchObject({ active: false, disabledReason: '100 deliveries in a row failed.' });
    expect((await acme.rest('PATCH', `/webhooks/${id}`, { active: true })).status).toBe(200);
    const on = { active: true, consecutiveFailures: 0, disabledAt: null, disabledReason: null };
    expect(await webhook(id)).toMatchObject(on);
    await failForGood(1);
    expect(await webhook(id)).toMatchObject({ ...on, consecutiveFailures: 1 });
  });
});

describe('an event that two jobs plan', () => {
  it('is sent once: the second job finds nothing to do', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await happen();
    const [event] = await acme.db.event.findMany({ where: { type: 'customer.created' } });
    const plan = () => planDeliveries(acme.db, event?.id ?? '', new Date(start));
    expect((await Promise.all([plan(), plan()])).toSorted()).toEqual([[], ['customer.created']]);
    expect(await plan()).toEqual([]);
    expect(await acme.db.delivery.count({ where: { webhookId: id } })).toBe(1);
  });
});

describe('a webhook that is deleted', () => {
  it('gets nothing more, not even a ping that waits', async () => {
    answer = 200;
    const { id } = await createWebhook(acme, { url: receiver.url });
    await happen();
    await acme.graphql('mutation ($id: UUID!) { pingWebhook(id: $id) { id } }', { id });
    expect((await acme.rest('DELETE', `/webhooks/${id}`)).status).toBeLessThan(300);
    await hand.run();
    expect(receiver.requests).toEqual([]);
    const kept = await acme.db.delivery.findMany({ where: { webhookId: id }, select: { kind: true, state: true } });
    expect(kept).toEqual([{ kind: 'PING', state: 'SET_ASIDE' }]);
  });
});

describe('a manual redelivery', () => {
  it('is a new delivery: new id, attempt 1, the same event id, the same body', async () => {
    answer = 200;
    const { id } = await createWebhook(acme, { url: receiver.url });
    await happen();
    await hand.run();
    const [first] = (await log(`webhookId: "${id}"`)).nodes;
    later(1000);
    await acme.graphql('mutation ($id: UUID!) { redeliver(id: $id) { id } }', { id: first.id });
    await hand.run();
    const [before, after] = receiver.requests;
    expect(after?.headers['x-service-delivery']).not.toBe(before?.headers['x-service-delivery']);
    expect(after?.headers['x-service-attempt']).toBe('1');
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    expect(after?.body).toBe(before?.body);
  });
});

describe('rotating the secret', () => {
  const signedWith = (secret: string): string =>
    `sha256=${createHmac('sha256', secret)
      .update(receiver.requests.at(-1)?.body ?? '')
      .digest('hex')}`;
  // As the public libraries do (signature.unit.test.ts has them verify), but for the time, which the test holds.
  const verifies = (secret: string): boolean => {
    const { body = '', headers = {} } = receiver.requests.at(-1) ?? {};
    const signature = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
      .digest('base64');
    return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
  };
  const rotate = async (id: string, immediately: boolean): Promise<string> =>
    (
      await acme.graphql(
        'mutation ($id: UUID!, $immediately: Boolean) { rotateWebhookSecret(id: $id, immediately: $immediately) { secret } }',
        { id, immediately },
      )
    ).rotateWebhookSecret.secret;

  it('signs with both secrets for 24 hours; X-Service-Signature uses the new one after that', async () => {
    answer = 200;
    const { id, secret: old } = await createWebhook(acme, { url: receiver.url });
    const secret = await rotate(id, false);
    expect(secret).toMatch(/^whsec_/);
    later(24 * 3_600_000 - 1);
    await happen();
    await hand.run();
    expect(receiver.requests.at(-1)?.headers['x-service-signature']).toBe(signedWith(old));
    expect([verifies(old), verifies(secret)]).toEqual([true, true]);
    later(1);
    await happen();
    await hand.run();
    expect(receiver.requests.at(-1)?.headers['x-service-signature']).toBe(signedWith(secret));
    expect([verifies(old), verifies(secret)]).toEqual([false, true]);
  });

  it('uses the new secret at once if the user says so', async () => {
    answer = 200;
    const { id, secret: old } = await createWebhook(acme, { url: receiver.url });
    const secret = await rotate(id, true);
    await happen();
    await hand.run();
    expect(receiver.requests.at(-1)?.headers['x-service-signature']).toBe(signedWith(secret));
    expect([verifies(old), verifies(secret)]).toEqual([true, true]);
  });

  /** Those of these secrets that sign a delivery which is sent now. */
  const signedNow = async (secrets: string[]) => {
    await happen();
    await hand.run();
    const { headers = {} } = receiver.requests.at(-1) ?? {};
    return {
      document: secrets.findIndex((secret) => headers['x-service-signature'] === signedWith(secret)),
      standard: secrets.map(verifies),
      signatures: String(headers['webhook-signature']).split(' ').length,
    };
  };
  const formerUntil = async (id: string): Promise<string[]> =>
    (await acme.graphql('query ($id: UUID!) { webhook(id: $id) { formerSecretsUntil } }', { id })).webhook
      .formerSecretsUntil;
  const hour = 3_600_000;

  it('again within 24 hours keeps every secret for its own 24 hours; a third time is rejected', async () => {
    answer = 200;
    const { id, secret: first } = await createWebhook(acme, { url: receiver.url });
    const second = await rotate(id, false);
    later(10 * hour);
    const third = await rotate(id, false);
    const secrets = [first, second, third];
    const [whenFirst, whenSecond] = ['2026-06-02T12:00:00+00:00', '2026-06-02T22:00:00+00:00'];
    expect(await formerUntil(id)).toEqual([whenFirst, whenSecond]);
    expect(await signedNow(secrets)).toEqual({ document: 0, standard: [true, true, true], signatures: 3 });

    later(14 * hour - 1);
    const rotation = 'mutation ($id: UUID!) { rotateWebhookSecret(id: $id) { secret } }';
    expect((await acme.graphqlAnswer(rotation, { id })).body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { id: ['Was rotated twice within 24 hours. It can be again from 2026-06-02T12:00:00+00:00.'] },
    });
    expect(await signedNow(secrets)).toEqual({ document: 0, standard: [true, true, true], signatures: 3 });

    later(1);
    expect(await formerUntil(id)).toEqual([whenSecond]);
    expect(await signedNow(secrets)).toEqual({ document: 1, standard: [false, true, true], signatures: 2 });
    const fourth = await rotate(id, false);
    const others = [second, third, fourth];
    expect(await signedNow(others)).toEqual({ document: 0, standard: [true, true, true], signatures: 3 });

    later(10 * hour);
    expect(await signedNow(others)).toMatchObject({ document: 1, standard: [false, true, true] });
    later(14 * hour);
    expect(await signedNow(others)).toMatchObject({ document: 2, standard: [false, false, true] });
    expect(await formerUntil(id)).toEqual([]);
  });

  it.each([
    [false, true, 2],
    [true, false, 1],
    [true, true, 2],
  ])('at once, of two times: %s, %s: X-Service-Signature has secret %s', async (atFirst, then, document) => {
    answer = 200;
    const { id, secret: first } = await createWebhook(acme, { url: receiver.url });
    const secrets = [first, await rotate(id, atFirst), await rotate(id, then)];
    expect(await signedNow(secrets)).toEqual({ document, standard: [true, true, true], signatures: 3 });
  });

  it('does two of many concurrent rotations, and loses no secret of theirs', async () => {
    answer = 200;
    const { id, secret: first } = await createWebhook(acme, { url: receiver.url });
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => rotate(id, false)));
    const made = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(made).toHaveLength(2);
    expect(await signedNow([first, ...made])).toEqual({ document: 0, standard: [true, true, true], signatures: 3 });
  });

  it('stores secrets encrypted', async () => {
    const { id, secret } = await createWebhook(acme, { url: receiver.url });
    await rotate(id, false);
    const { rows } = await service.pool.query('select webhooks::text as row from webhooks');
    const text = rows.map(({ row }) => row as string).join('\n');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    expect(text).not.toContain(Buffer.from(secret.slice('whsec_'.length), 'base64').toString('hex'));
  });
});

describe('a worker that dies while sending', () => {
  it('leaves an attempt that counts; the delivery is retried with the same id and bytes', async () => {
    answer = 200;
    await createWebhook(acme, { url: receiver.url });
    await happen();
    later(1);
    const rules = { retryDelaysMs: schedule, attemptMs: 25_000 };
    const [event] = await acme.db.event.findMany({});
    await planDeliveries(acme.db, event?.id ?? '', service.clock.now ?? new Date());
    const { id } = await acme.db.delivery.findFirstOrThrow({});
    await beginAttempt(acme.db, id, service.clock.now ?? new Date(), rules, () => ({})); // and nothing more

    await hand.run();
    expect(receiver.requests, 'it may still be under way').toHaveLength(0);
    later(25_001);
    await hand.run();
    expect(
      receiver.requests.map(({ headers }) => [headers['x-service-delivery'], headers['x-service-attempt']]),
    ).toEqual([[id, '2']]);
    expect(receiver.requests[0]?.body).toBe(event?.body);
    const [{ attempts }] = (await acme.graphql('{ deliveries { nodes { attempts { number error status } } } }'))
      .deliveries.nodes;
    expect(attempts).toEqual([
      { number: 1, error: expect.stringContaining('cut off'), status: null },
      { number: 2, error: null, status: 200 },
    ]);
  });
});

describe('a new URL of a webhook', () => {
  const withAbilities = async (...abilities: string[]): Promise<Integrator> => {
    const { id, token } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
    return asIntegrator(service, { ...acme, token, tokenId: id });
  };
  const elsewhere = () => `${receiver.url}/elsewhere`;
  const sentElsewhere = () =>
    receiver.requests
      .filter(({ path }) => path === '/elsewhere')
      .map(({ headers }) => headers['x-service-event'])
      .toSorted();
  const change = (who: Integrator, id: string, url: string) => who.rest('PATCH', `/webhooks/${id}`, { url });
  const inGraphql = 'mutation ($id: UUID!, $url: String) { updateWebhook(id: $id, input: { url: $url }) { id } }';

  /** A webhook of all events, with deliveries that wait after their first attempt. It is then for new customers only. */
  async function narrowed(makeEvents: () => Promise<unknown>): Promise<string> {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await makeEvents();
    await hand.run();
    expect((await webhook(id)).waiting).toBeGreaterThan(0);
    await acme.graphql(
      'mutation ($id: UUID!) { updateWebhook(id: $id, input: { events: ["customer.created"] }) { id } }',
      {
        id,
      },
    );
    answer = 200;
    later(20_000);
    return id;
  }

  it('needs the abilities to read what waits, whatever the webhook’s events are now', async () => {
    const id = await narrowed(() => makeInvoice(acme, { status: 'ISSUED' }));
    const who = await withAbilities('webhooks:write', 'customers:read');
    expect((await who.rest('GET', '/invoices')).status).toBe(403);
    const before = await acme.db.webhook.findMany();

    const overRest = await change(who, id, elsewhere());
    expect(overRest.status).toBe(403);
    expect(overRest.text).toContain('invoices:read');
    expect((await who.graphqlAnswer(inGraphql, { id, url: elsewhere() })).body.errors).toEqual([
      expect.objectContaining({
        message: 'This token lacks the ability invoices:read.',
        extensions: expect.objectContaining({ code: 'FORBIDDEN' }),
      }),
    ]);
    expect(await acme.db.webhook.findMany()).toEqual(before);

    // A paused webhook is no way around it: what waits is sent when it is switched on before the next attempt.
    await acme.rest('PATCH', `/webhooks/${id}`, { active: false });
    expect((await change(who, id, elsewhere())).status).toBe(403);
    await acme.rest('PATCH', `/webhooks/${id}`, { active: true });
    await hand.run();
    expect(sentElsewhere()).toEqual([]);
    expect(receiver.requests.length).toBeGreaterThan(3);

    expect((await change(who, id, elsewhere())).status, 'once nothing waits').toBe(200);
  });

  it('is no matter for other changes, the same URL, or who may read what waits', async () => {
    const id = await narrowed(() => makeInvoice(acme, { status: 'ISSUED' }));
    const who = await withAbilities('webhooks:write', 'customers:read');
    for (const body of [{ description: 'x' }, { url: receiver.url, description: 'y' }, { active: true }])
      expect([body, (await who.rest('PATCH', `/webhooks/${id}`, body)).status]).toEqual([body, 200]);
    expect((await who.graphqlAnswer(inGraphql, { id, url: receiver.url })).body.errors).toBeUndefined();

    const reader = await withAbilities('webhooks:write', 'customers:read', 'invoices:read');
    expect((await change(reader, id, elsewhere())).status).toBe(200);
    await hand.run();
    expect(sentElsewhere()).toEqual(['customer.created', 'invoice.created', 'invoice.issued']);
  });

  it('takes along a ping and what the caller may read, whatever waits for other webhooks', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url, events: ['customer.created'] });
    await createWebhook(acme, { url: receiver.url, events: ['invoice.created'] });
    await makeInvoice(acme);
    const who = await withAbilities('webhooks:write', 'customers:read');
    await who.graphql('mutation ($id: UUID!) { pingWebhook(id: $id) { id } }', { id });
    await hand.run();
    answer = 200;
    later(20_000);
    expect((await change(who, id, elsewhere())).status).toBe(200);
    await hand.run();
    expect(sentElsewhere()).toEqual(['customer.created', 'webhook.ping']);
  });
});
