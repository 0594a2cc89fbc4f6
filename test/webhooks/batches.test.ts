import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { withHolder, type Holder } from '../../prisma/client.ts';
import { beginAttempts, endAttempts, type AttemptResult } from '../../schema/resources/delivery/attempts.ts';
import { deliver } from '../../src/webhooks/deliver.ts';
import { EndpointConcurrency } from '../../src/webhooks/endpoint-concurrency.ts';
import { createPoster, type Poster } from '../../src/webhooks/post.ts';
import { gateway, runScript, startService, type Integrator, type Service } from '../harness.ts';
import { isOverhead, listen } from '../isolation/statements.ts';
import { createWebhook, schedule, startReceiver, status, until, work, type Receiver } from './receiver.ts';

// Deliveries of a tenant that are under way together are begun and ended together.

let service: Service;
let acme: Integrator;
let receiver: Receiver;
let poster: Poster;
let answer: Parameters<typeof startReceiver>[0];
const rules = { retryDelaysMs: schedule, attemptMs: 16_000 };

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((...request) => answer?.(...request));
  poster = createPoster({ allowInsecure: true, timeoutMs: 1000 });
});
beforeEach(async () => {
  answer = status(200);
  receiver.requests.length = 0;
  acme = await service.integrator();
});
afterAll(async () => {
  await poster.close();
  await receiver.close();
  await service.close();
});

/** Deliveries that wait, of as many events, to a webhook. */
async function waiting(webhookId: string, count: number): Promise<string[]> {
  const now = new Date();
  const event = { type: 'customer.created', body: '{}', fannedOutAt: now };
  const events = await acme.db.event.createManyAndReturn({ data: Array.from({ length: count }, () => event) });
  const deliveries = await acme.db.delivery.createManyAndReturn({
    data: events.map(({ id: eventId }) => ({ webhookId, eventId, nextAttemptAt: now })),
  });
  return deliveries.map(({ id }) => id);
}

/** Their jobs, all at once. */
function run(webhookId: string, ids: string[]): Promise<PromiseSettledResult<unknown>[]> {
  const { books, webhooks } = service;
  const task = deliver({ books, poster, open: webhooks.open, rules, concurrency: new EndpointConcurrency(1000) });
  const { tenantId } = acme;
  const jobs = ids.map(async (deliveryId) => task({ tenantId, webhookId, deliveryId }, undefined as never));
  return Promise.allSettled(jobs);
}

const states = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await acme.db.delivery.groupBy({ by: 'state', _count: true })).map(({ state, _count }) => [state, _count]),
  );

describe('a hundred deliveries at once', () => {
  it('take few statements and one attempt each', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    const ids = await waiting(id, 100);
    let statements = 0;
    const stop = listen(({ text }) => void ((gateway.distributed && isOverhead(text)) || (statements += 1)));
    await run(id, ids);
    stop();
    expect(await states()).toEqual({ DELIVERED: 100 });
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery']))).toEqual(new Set(ids));
    expect(receiver.requests).toHaveLength(100);
    expect(statements).toBeLessThan(100);
  });

  it('are one attempt each, also with two jobs each', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    const ids = await waiting(id, 50);
    const jobs = await run(id, [...ids, ...ids].toSorted());
    expect(new Set(jobs.map((job) => job.status))).toEqual(new Set(['fulfilled']));
    expect(receiver.requests).toHaveLength(50);
    expect(await states()).toEqual({ DELIVERED: 50 });
  });

  it('are recorded except one that can’t be, whose job fails', async () => {
    answer = (response, _request, index) => status(index === 20 ? 299 : 200)(response);
    const { id } = await createWebhook(acme, { url: receiver.url });
    await runScript(
      service,
      `
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
      create trigger refuse before update on delivery_attempts for each row when (new.status = 299) execute function refuse()`,
    );
    const jobs = await run(id, await waiting(id, 100));
    await runScript(service, 'drop trigger refuse on delivery_attempts; drop function refuse');
    expect(await states()).toEqual({ DELIVERED: 99, WAITING: 1 });
    expect(jobs.filter((job) => job.status === 'rejected').map(({ reason }) => String(reason))).toEqual([
      expect.stringContaining('no room'),
    ]);
  });

  it('are sent except one that can’t be signed, whose attempt fails', async () => {
    const [good, bad] = [
      await createWebhook(acme, { url: receiver.url }),
      await createWebhook(acme, { url: receiver.url }),
    ];
    await acme.db.webhook.updateMany({ where: { id: bad.id }, data: { secret: new Uint8Array(40) } });
    const [unsigned = '', ...ids] = [...(await waiting(bad.id, 1)), ...(await waiting(good.id, 99))];
    const jobs = await run(good.id, [unsigned, ...ids]);
    expect(new Set(jobs.map((job) => job.status))).toEqual(new Set(['fulfilled']));
    expect(receiver.requests).toHaveLength(99);
    expect(await states()).toEqual({ DELIVERED: 99, WAITING: 1 });
    expect(await acme.db.delivery.findFirst({ where: { id: unsigned } })).toMatchObject({
      attemptCount: 1,
      nextAttemptAt: expect.any(Date),
    });
    expect(await acme.db.deliveryAttempt.findMany({ where: { deliveryId: unsigned } })).toMatchObject([
      { number: 1, status: null, error: "not sent: a secret of the webhook can't be read", durationMs: 0 },
    ]);
  });

  it('that can’t be signed fail in the end, which turns their webhook off', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    const data = { secret: new Uint8Array(40), consecutiveFailures: 98 };
    await acme.db.webhook.updateMany({ where: { id }, data });
    const ids = await waiting(id, 2);
    await acme.db.delivery.updateMany({ where: { id: { in: ids } }, data: { attemptCount: 5 } });
    await run(id, ids);
    expect(await states()).toEqual({ FAILED: 2 });
    expect(await acme.db.webhook.findFirst()).toMatchObject({ active: false, consecutiveFailures: 100 });
    expect(receiver.requests).toEqual([]);
  });
});

describe('deliveries that end in one batch', () => {
  const ending = (deliveryId: string, success: boolean): AttemptResult => ({
    deliveryId,
    number: 6,
    success,
    status: success ? 200 : 500,
    responseHeaders: {},
    responseBody: Buffer.from('\0\u{1F600}'),
    error: null,
    durationMs: 1,
  });
  /** Ends their last attempts. */
  async function endLast(id: string, failuresBefore: number, successes: boolean[], others: number): Promise<void> {
    await acme.db.webhook.updateMany({ where: { id }, data: { consecutiveFailures: failuresBefore } });
    const ids = await waiting(id, successes.length);
    await waiting(id, others);
    await acme.db.delivery.updateMany({ where: { id: { in: ids } }, data: { attemptCount: 5 } });
    const now = new Date();
    await beginAttempts(acme.db, ids, now, rules, () => ({}));
    await endAttempts(
      acme.db,
      successes.map((success, index) => ending(ids[index] ?? '', success)),
      now,
      rules,
    );
  }

  it('count as one failure each: the 100th deactivates the webhook and sets its waiting deliveries aside', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await endLast(id, 97, [false, false], 0);
    expect(await acme.db.webhook.findFirst()).toMatchObject({
      active: true,
      consecutiveFailures: 99,
      disabledAt: null,
    });
    await endLast(id, 99, [false, false, false], 4);
    expect(await acme.db.webhook.findFirst()).toMatchObject({
      active: false,
      consecutiveFailures: 100,
      disabledAt: expect.any(Date),
    });
    expect(await states()).toEqual({ FAILED: 5, SET_ASIDE: 4 });
  });

  /** Deliveries to a webhook whose last attempts are under way. */
  async function lastAttempts(id: string, count: number): Promise<string[]> {
    const ids = await waiting(id, count);
    await acme.db.delivery.updateMany({ where: { id: { in: ids } }, data: { attemptCount: 5 } });
    await beginAttempts(acme.db, ids, new Date(), rules, () => ({}));
    return ids;
  }
  const end = (ids: string[], success = false) =>
    endAttempts(
      acme.db,
      ids.map((id) => ending(id, success)),
      new Date(),
      rules,
    );

  it('stop counting at 100 of 105 failures, in one batch or several, and all have failed', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    const ids = await lastAttempts(id, 105);
    await waiting(id, 3);
    await Promise.all(Array.from({ length: 21 }, (_, at) => end(ids.slice(at * 5, at * 5 + 5))));
    expect(await acme.db.webhook.findFirst()).toMatchObject({ active: false, consecutiveFailures: 100 });
    expect(await states()).toEqual({ FAILED: 105, SET_ASIDE: 3 });
  });

  it('leave the count as it is after the 100th, and have the state of their last attempt', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await acme.db.webhook.updateMany({ where: { id }, data: { consecutiveFailures: 99 } });
    const [hundredth = '', failing = '', succeeding = '', lost = ''] = await lastAttempts(id, 4);
    const [retried = ''] = await waiting(id, 1);
    await beginAttempts(acme.db, [retried], new Date(), rules, () => ({}));

    await end([hundredth]);
    expect(await states()).toEqual({ FAILED: 1, WAITING: 4 }); // which are under way
    await end([failing]);
    await end([succeeding], true);
    await endAttempts(acme.db, [{ ...ending(retried, false), number: 1 }], new Date(), rules);
    expect(await states()).toEqual({ FAILED: 2, DELIVERED: 1, SET_ASIDE: 1, WAITING: 1 });
    const muchLater = new Date(Date.now() + 3_600_000); // the worker that sent it has died
    expect(await beginAttempts(acme.db, [lost], muchLater, rules, () => ({}))).toEqual([undefined]);
    expect(await states()).toEqual({ FAILED: 3, DELIVERED: 1, SET_ASIDE: 1 });
    expect(await acme.db.webhook.findFirst()).toMatchObject({
      active: false,
      consecutiveFailures: 100,
      disabledAt: expect.any(Date),
    });
  });

  it('reset the count if one of them succeeds', async () => {
    const { id } = await createWebhook(acme, { url: receiver.url });
    await endLast(id, 99, [false, true, false], 1);
    expect(await acme.db.webhook.findFirst()).toMatchObject({ active: true, consecutiveFailures: 0, disabledAt: null });
    expect(await states()).toEqual({ FAILED: 2, DELIVERED: 1, WAITING: 1 });
    const [attempt] = await acme.db.deliveryAttempt.findMany({ where: { status: 200 } });
    expect(Buffer.from(attempt?.responseBody ?? []).toString()).toBe('\0\u{1F600}');
  });
});

describe('a worker', () => {
  const makeHolder = (id: string): Holder => withHolder({ id, testOf: null }).holder;

  /** Has a webhook take as many jobs as it may. @returns how many */
  function fill(limiter: EndpointConcurrency, webhookId: string, holder: Holder): number {
    for (let held = 0; ; held += 1) {
      const slots = limiter.enter(webhookId, holder);
      if (!limiter.hasRoom(slots)) {
        limiter.leave(webhookId, holder);
        return held;
      }
      void slots.acquire();
    }
  }

  it('runs at most half of its jobs for one holder, and one for each further webhook', () => {
    const limiter = new EndpointConcurrency(400);
    const [crowd, other] = [makeHolder('crowd'), makeHolder('other')];
    const held = Array.from({ length: 60 }, (_each, index) => fill(limiter, `dead ${index}`, crowd));
    expect(held.reduce((sum, each) => sum + each)).toBeLessThan(260);
    expect(Math.min(...held)).toBe(1);
    expect(fill(limiter, 'slow', other)).toBeGreaterThan(40);
    limiter.close();
  });

  it('runs at most a part of its jobs for one webhook, and less for each further one', () => {
    const limiter = new EndpointConcurrency(400);
    const held = ['slow', 'slower', 'slowest', 'another'].map((name) => fill(limiter, name, makeHolder(name)));
    limiter.close();
    expect(held[0]).toBeLessThan(150);
    expect(held).toEqual(held.toSorted((a, b) => b - a));
    expect(held[3]).toBeGreaterThan(20);
  });

  it('whose jobs are taken lets deliveries wait only for endpoints that answer fast', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    try {
      const worker = new EndpointConcurrency(400);
      const slots = worker.enter('webhook', makeHolder('acme'));
      for (let job = 0; job < 399; job += 1) worker.enter('another webhook', makeHolder('globex'));
      const hasRoom = (): boolean => worker.hasRoom(slots);
      for (let job = 0; job < 18; job += 1) void slots.acquire(); // 8 send, 10 wait
      const answerEvery = (ms: number): void => {
        for (let answers = 0; answers < 50; answers += 1) {
          vi.advanceTimersByTime(ms);
          slots.release();
          void slots.acquire();
        }
      };

      expect(hasRoom()).toBe(false); // nothing is known of it
      answerEvery(10);
      expect(hasRoom()).toBe(true);
      answerEvery(50);
      expect(hasRoom()).toBe(false);
      answerEvery(10);
      expect(hasRoom()).toBe(true);
      vi.advanceTimersByTime(500); // without an answer
      expect(hasRoom()).toBe(false);
      answerEvery(1);
      expect(hasRoom()).toBe(true);
      for (let job = 18; job < 50; job += 1) void slots.acquire();
      expect(hasRoom()).toBe(false); // it has an eighth of the jobs
      worker.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('that is stopped gives back deliveries that it has not begun to send', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    answer = (response) => void released.then(() => response.end());
    const { id } = await createWebhook(acme, { url: `${receiver.url}/stopped` });
    await waiting(id, 60);
    const { stop } = await work(service, { timeoutMs: 30_000 });
    const begun = (): number => receiver.requests.filter(({ path }) => path === '/stopped').length;
    await until(() => begun() === 8, 'the first requests');
    const stopped = stop();
    const { rows } = await service.pool.query('select now() as now');
    await until(async () => {
      const given = await acme.db.delivery.count({ where: { state: 'WAITING', attemptCount: 0 } });
      const jobs = await service.pool.query(
        `select count(distinct payload->>'deliveryId')::int as free from graphile_worker._private_jobs
         where payload->>'webhookId' = $1 and locked_at is null and run_at < $2::timestamptz + interval '2 minutes'`,
        [id, rows[0].now],
      );
      return given === 52 && jobs.rows[0].free === 52;
    }, 'the rest to be free');
    release();
    await stopped;
    expect(begun()).toBe(8);
    expect(await states()).toEqual({ DELIVERED: 8, WAITING: 52 });
  });
});
