import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { currentTime, followDatabaseClock } from '../../prisma/clock.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { createWebhook, startReceiver, until, work, type Receiver } from './receiver.ts';

// Processes whose machines' clocks are wrong: they go by the database's.

let service: Service;
let acme: Integrator;
let receiver: Receiver;
let unfollow: () => void;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  receiver = await startReceiver();
  await createWebhook(acme, { url: receiver.url });
  unfollow = await followDatabaseClock(service.pool);
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  unfollow();
  await receiver.close();
  await service.close();
});

const hourMs = 3_600_000;
const setClock = (aheadMs: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });

describe.each([
  ['back', -hourMs],
  ['forward', hourMs],
])('with a clock that is set %s an hour', (_where, aheadMs) => {
  it('an event reaches a webhook that was made before, and rows have the right time', async () => {
    const before = Date.now();
    setClock(aheadMs);
    const heard = receiver.requests.length;
    const id = await makeCustomer(acme);
    const worker = await work(service);
    await until(() => receiver.requests.length > heard, 'the delivery', 30_000);
    await worker.stop();
    await acme.rest('PATCH', `/customers/${id}`, { company_name: 'Renamed' });
    vi.useRealTimers();
    const { updatedAt } = await acme.db.customer.findFirstOrThrow({ where: { id } });
    const { createdAt, deliveries } = await acme.db.event.findFirstOrThrow({
      where: { resourceId: id },
      include: { deliveries: true },
    });
    const [{ createdAt: planned } = { createdAt: undefined }] = deliveries;
    for (const time of [createdAt, planned, updatedAt]) {
      expect(time?.getTime()).toBeGreaterThan(before - 10_000);
      expect(time?.getTime()).toBeLessThan(Date.now() + 10_000);
    }
  });
});

it('a webhook that is made with a clock that is ahead gets the events after it', async () => {
  const globex = await service.integrator({ name: 'Globex' });
  setClock(hourMs);
  await createWebhook(globex, { url: `${receiver.url}/globex` });
  vi.useRealTimers();
  const worker = await work(service);
  try {
    const id = await makeCustomer(globex);
    // Acme's last event may be delivered only now, too.
    const heard = () => receiver.requests.filter(({ path }) => path === '/globex');
    await until(() => heard().length > 0, 'the delivery', 30_000);
    expect(heard()).toEqual([expect.objectContaining({ body: expect.stringContaining(id) })]);
  } finally {
    await worker.stop();
  }
});

it('the database is asked again as soon as the clock is set', async () => {
  const machine = Date.now();
  let asked = 0;
  const query = async () => {
    asked += 1;
    return { rows: [{ ms: String(machine + 5000) }] };
  };
  const end = await followDatabaseClock({ query } as unknown as Service['pool']);
  try {
    expect(currentTime().getTime() - machine).toBeGreaterThanOrEqual(5000);
    expect(asked).toBe(1);
    setClock(hourMs);
    expect(currentTime().getTime() - machine).toBeLessThan(hourMs);
    expect(asked).toBe(2);
  } finally {
    end();
    unfollow = await followDatabaseClock(service.pool);
  }
});
