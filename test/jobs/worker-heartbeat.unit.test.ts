import type { WorkerUtils } from 'graphile-worker';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { UnscopedClient } from '../../prisma/client.ts';
import { startHeartbeat } from '../../src/jobs/queue/worker-heartbeat.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

it('doesn’t pile up while the database hangs: a worker that stops waits for one heartbeat', async () => {
  let recorded = 0;
  let answer = (): void => {};
  let hangs = false;
  const client = {
    $executeRaw: () => {
      recorded += 1;
      return hangs ? new Promise<void>((resolve) => (answer = resolve)) : Promise.resolve();
    },
    $queryRaw: async () => [],
    worker: { deleteMany: async () => ({ count: 1 }) },
  } as unknown as UnscopedClient;
  const freed: string[][] = [];
  const utils = { forceUnlockWorkers: async (ids: string[]) => void freed.push(ids) } as unknown as WorkerUtils;
  const end = await startHeartbeat(client, utils, 'worker', pino({ level: 'silent' }));
  await vi.advanceTimersByTimeAsync(5000);
  expect(recorded).toBe(2);
  hangs = true;
  await vi.advanceTimersByTimeAsync(60_000);
  const ended = end();
  hangs = false;
  answer();
  await ended;
  expect(recorded).toBe(3);
  expect(freed).toEqual([['worker']]);
});
