import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript, startService, type Integrator, type Service } from '../harness.ts';
import { createWebhook, startReceiver, until, work, type Receiver } from './receiver.ts';

let service: Service;
const receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.close();
  await service.close();
});

async function receive(...answer: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...answer);
  receivers.push(receiver);
  return receiver;
}

/** An event that nobody needs to render. */
async function events(acme: Integrator, count: number): Promise<void> {
  const body = (index: number): string => JSON.stringify({ event: 'customer.created', index });
  await acme.db.event.createMany({
    data: Array.from({ length: count }, (_each, index) => ({ type: 'customer.created', body: body(index) })),
  });
}

describe('a slow endpoint', () => {
  it(
    'delays no other endpoint: 200 others get their deliveries while 1,000 wait for the slow one',
    { timeout: 90_000 },
    async () => {
      let answerAll = (): void => {};
      const released = new Promise<void>((resolve) => (answerAll = resolve));
      const slow = await receive((response) => void released.then(() => response.end()));
      const arrived = new Set<string>();
      const quick = await receive((response, { path }) => {
        arrived.add(path);
        response.end();
      });
      const [stuck, ...others] = await Promise.all(Array.from({ length: 21 }, () => service.integrator()));
      if (!stuck) throw new Error('No tenant');
      await createWebhook(stuck, { url: slow.url });
      for (const [index, other] of others.entries()) {
        for (let hook = 0; hook < 10; hook += 1) await createWebhook(other, { url: `${quick.url}/${index}/${hook}` });
      }
      const { stop } = await work(service, { timeoutMs: 80_000 });
      try {
        await events(stuck, 1000);
        const waiting = (): Promise<number> => stuck.db.delivery.count({ where: { state: 'WAITING' } });
        await until(async () => (await waiting()) === 1000 && slow.requests.length > 0, 'the 1,000 deliveries', 40_000);
        const began = Date.now();
        await Promise.all(others.map((other) => events(other, 1)));
        await until(() => arrived.size === 200, 'the 200 others', 30_000);
        // eslint-disable-next-line no-console -- a figure, for who asks for it
        if (process.env['FIGURES']) console.log(`200 others after ${Date.now() - began} ms`);
        expect(await waiting(), 'none of the slow ones is answered yet').toBe(1000);
        expect(slow.requests.length).toBeLessThan(1000);
      } finally {
        answerAll();
        await stop();
      }
    },
  );
});

describe('a failure to record attempts', () => {
  it('causes no endless duplicates: each attempt is counted before it is sent', async () => {
    const receiver = await receive();
    const acme = await service.integrator();
    await createWebhook(acme, { url: receiver.url });
    await runScript(
      service,
      `
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
      create trigger refuse before update on delivery_attempts for each row when (new.status is not null) execute function refuse()`,
    );
    const { stop } = await work(service);
    try {
      await events(acme, 1);
      // As if its time had gone by, the attempt that could not be recorded counts as cut off, and the next is due.
      const passTime = async (): Promise<void> => {
        await acme.db.deliveryAttempt.updateMany({ data: { startedAt: new Date(0) } });
        await acme.db.delivery.updateMany({ where: { state: 'WAITING' }, data: { nextAttemptAt: new Date() } });
      };
      for (let count = 1; count <= 6; count += 1) {
        await until(() => receiver.requests.length >= count, `attempt ${count}`);
        await passTime();
      }
      const stateOf = async () => (await acme.db.delivery.findFirst())?.state;
      await until(async () => (await stateOf()) === 'FAILED', 'the delivery to be given up');
      const numbers = receiver.requests.map(({ headers }) => Number(headers['x-service-attempt']));
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
    } finally {
      await service.pool.query('drop trigger refuse on delivery_attempts');
      await stop();
    }
  });
});
