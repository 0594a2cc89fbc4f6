import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pino } from 'pino';
import { startService, type Integrator, type Service } from '../harness.ts';
import { until, work } from '../webhooks/receiver.ts';

// Jobs of all tenants take minutes in a large installation. A worker that stops must not wait for them.

let service: Service;
let who: Integrator;
beforeAll(async () => {
  service = await startService();
  who = await service.integrator();
});
afterAll(() => service.close());

const count = 20_000;
const left = () => who.db.storedResponse.count();

it('a long job ends when its worker stops, and another worker finishes it', async () => {
  const createdAt = new Date(Date.now() - 2 * 86_400_000);
  const empty = Buffer.alloc(0);
  const rows = Array.from({ length: count }, () => ({
    request: randomBytes(32),
    body: empty,
    response: empty,
    createdAt,
  }));
  await who.db.storedResponse.createMany({ data: rows });
  const errors: unknown[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void errors.push(line) });
  const worker = await work(service, { log });
  await service.pool.query(`select graphile_worker.add_job('clean_up_responses')`);
  await until(async () => (await left()) < count, 'the job to begin');
  await worker.stop();
  expect(await left()).toBeGreaterThan(0);
  expect(errors).toEqual([]); // nobody needs to do anything

  const another = await work(service);
  await until(async () => (await left()) === 0, 'the rest to be deleted');
  await another.stop();
});
