import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { fileKey } from '../../schema/resources/export/file.ts';
import { runExports } from '../../src/jobs/exports.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { until, work } from '../webhooks/receiver.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { addReceipts, download, exported, readCsv, startExport, untilEnded } from './exports.ts';

let service: Service;
let worker: Worker | undefined;
let onWrite: ((key: string) => Promise<void>) | undefined;
beforeAll(async () => {
  service = await startService();
  // The domain holds the same object.
  const storage: FileStorage = service.fileStorage;
  const write = storage.write.bind(storage);
  storage.write = async (...args) => {
    await onWrite?.(args[0]);
    return write(...args);
  };
});
afterEach(async () => {
  onWrite = undefined;
  await worker?.stop();
  worker = undefined;
});
afterAll(() => service.close());

const customers = { type: 'list', resource: 'customers' };

const untilBegun = (who: Integrator, id: string): Promise<void> =>
  until(async () => (await who.db.export.findFirst({ where: { id } }))?.status !== 'PENDING', 'the begin', 60_000);

describe('An export', () => {
  it('whose worker was killed begins again, and has each row once', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    const id = await startExport(who, customers);
    // As a killed worker leaves it.
    await who.db.export.updateMany({
      where: { id },
      data: { status: 'RUNNING', startedAt: new Date(), processedRows: 7 },
    });
    worker = await work(service);
    expect(await untilEnded(who, id)).toMatchObject({ status: 'completed', processed_rows: 1 });
    const file = Buffer.from(await (await download(service, who, id)).arrayBuffer());
    expect(readCsv(file)).toHaveLength(1);
  });

  it('goes on after its worker was stopped, in another one', async () => {
    const who = await service.integrator();
    await addReceipts(service, who, 3000, 500);
    const id = await startExport(who, { type: 'list', resource: 'receipts' });
    worker = await work(service);
    await untilBegun(who, id);
    await worker.stop();
    worker = await work(service);
    expect(await untilEnded(who, id)).toMatchObject({ status: 'completed', processed_rows: 3000 });
    const file = Buffer.from(await (await download(service, who, id)).arrayBuffer());
    expect(new Set(readCsv(file).map((row) => row['id'])).size).toBe(3000);
  });

  it('whose rows take too long to count is written without knowing how many they are', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    const client = await service.pool.connect();
    const waits = async (query: string): Promise<boolean> => {
      const sql = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`;
      return ((await service.pool.query(sql, [query])).rowCount ?? 0) > 0;
    };
    try {
      await client.query('begin');
      await client.query('lock table customers in access exclusive mode');
      const id = await startExport(who, customers);
      worker = await work(service);
      await until(() => waits('select count'), 'the count', 60_000);
      await until(() => waits('json_build_array'), 'the rows', 60_000);
      await client.query('rollback');
      expect(await untilEnded(who, id)).toMatchObject({ status: 'completed', processed_rows: 1 });
    } finally {
      client.release(true);
    }
  });

  it('that is cancelled while its file is stored leaves no file', async () => {
    const who = await service.integrator();
    const id = await startExport(who, customers);
    onWrite = async () => {
      expect((await who.rest('POST', `/exports/${id}/cancel`)).status).toBe(200);
    };
    worker = await work(service);
    expect(await untilEnded(who, id)).toMatchObject({ status: 'cancelled', file_name: null });
    onWrite = undefined;
    await exported(service, who, customers); // its job comes after that of the first
    expect(await service.fileStorage.read(fileKey(who.tenantId, id))).toBeUndefined();
  });

  it('is written beside those of another tenant, however long these take', async () => {
    const [slow, innocent] = [await service.integrator(), await service.integrator()];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    onWrite = (key) => (key.startsWith(slow.tenantId) ? held : Promise.resolve());
    const waiting = [];
    for (let at = 0; at < 5; at += 1) waiting.push(await startExport(slow, customers));
    worker = await work(service);
    await untilBegun(slow, waiting[0]!);
    for (let at = 0; at < 3; at += 1) await exported(service, innocent, customers);
    expect(await slow.db.export.count({ where: { finishedAt: null } })).toBe(5);
    release();
    for (const id of waiting) expect(await untilEnded(slow, id)).toMatchObject({ status: 'completed' });
  });

  it('is written beside those of another tenant and of all its test tenants', async () => {
    const [slow, innocent] = [await service.integrator(), await service.integrator()];
    const all = [slow];
    for (let count = 0; count < 5; count += 1) all.push(await startTestTenant(service, slow));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    onWrite = (key) => (key.startsWith(innocent.tenantId) ? Promise.resolve() : held);
    const waiting = await Promise.all(all.map(async (who) => ({ who, id: await startExport(who, customers) })));
    worker = await work(service);
    const count = async (status: 'PENDING' | 'RUNNING'): Promise<number> =>
      (await Promise.all(all.map(({ db }) => db.export.count({ where: { status } })))).reduce(
        (sum, each) => sum + each,
      );
    await until(async () => (await count('RUNNING')) > 0, 'the first of them');
    await exported(service, innocent, customers);
    expect([await count('RUNNING'), await count('PENDING')]).toEqual([1, 5]);
    release();
    for (const { who, id } of waiting) expect(await untilEnded(who, id)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['takes too long', { readMs: 20 }, 'It took longer than half an hour. Choose a shorter period.'],
    ['has too long a file', { bytes: 100_000 }, 'Its file would be longer than 2 GiB. Choose a shorter period.'],
  ])('that %s has failed at once, with the reason', async (_what, limit, error) => {
    const who = await service.integrator();
    await addReceipts(service, who, 10_000, 500);
    const id = await startExport(who, { type: 'list', resource: 'receipts' });
    const reported: unknown[] = [];
    const limits = { readMs: 60_000, bytes: 100_000_000, ...limit };
    const task = runExports(service, service.domain, 7, (unexpected) => reported.push(unexpected), limits);
    await runJob(task, { tenantId: who.tenantId });
    expect(await untilEnded(who, id)).toMatchObject({ status: 'failed', error, file_name: null });
    expect(reported).toEqual([]);
    expect(await service.fileStorage.read(fileKey(who.tenantId, id))).toBeUndefined();
  });

  it('that fails for a reason that nobody expected is tried five times, and keeps none behind it from their own', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    const [first, second] = [await startExport(who, customers), await startExport(who, customers)];
    const reported: unknown[] = [];
    const task = runExports(service, service.domain, 7, (unexpected) => reported.push(unexpected));
    const failures = new Map([
      [fileKey(who.tenantId, first), 5],
      [fileKey(who.tenantId, second), 1],
    ]);
    onWrite = async (key) => {
      const left = failures.get(key) ?? 0;
      failures.set(key, left - 1);
      if (left > 0) throw new Error('A disk that is broken');
    };
    const run = (): Promise<unknown> => runJob(task, { tenantId: who.tenantId });
    for (let time = 1; time <= 5; time += 1)
      await expect(run(), `run ${time}`).rejects.toThrow('A disk that is broken');
    await run();
    expect(reported).toEqual([new Error('A disk that is broken')]);
    expect(await untilEnded(who, first)).toMatchObject({ status: 'failed', error: expect.stringMatching(/log/) });
    expect(await untilEnded(who, second)).toMatchObject({ status: 'completed' });
  });

  it('waits for a storage that is away, however often it is tried', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    const id = await startExport(who, customers);
    const task = runExports(service, service.domain, 7, () => {});
    const away = new StorageUnavailableError('The storage of files', new Error('connect ECONNREFUSED'));
    onWrite = () => Promise.reject(away);
    const run = (): Promise<unknown> => runJob(task, { tenantId: who.tenantId });
    for (let time = 1; time <= 8; time += 1) await expect(run(), `run ${time}`).rejects.toBe(away);
    onWrite = undefined;
    await run();
    expect(await untilEnded(who, id)).toMatchObject({ status: 'completed' });
  });

  it('is one snapshot: what is changed meanwhile is in all of it, or in nothing of it', async () => {
    const who = await service.integrator();
    await addReceipts(service, who, 2000, 200);
    worker = await work(service);
    const id = await startExport(who, { type: 'list', resource: 'receipts' });
    await untilBegun(who, id);
    await service.pool.query('update receipts set metadata = $2 where tenant_id = $1', [who.tenantId, { new: 'x' }]);
    await untilEnded(who, id);
    const file = Buffer.from(await (await download(service, who, id)).arrayBuffer());
    expect(new Set(readCsv(file).map((row) => row['metadata'])).size).toBe(1);
  });
});
