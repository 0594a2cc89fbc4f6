import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isConnectionLost } from '../../prisma/client.ts';
import { runExports } from '../../src/jobs/exports.ts';
import { makeReceipt } from '../graphql/books.ts';
import { startService, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { download, startExport, untilEnded, unzip } from './exports.ts';

/** PostgreSQL ends transactions that wait for longer; in production after a minute. */
const idleMs = 400;
let service: Service;

beforeAll(async () => {
  service = await startService({ limitsOfDatabase: true });
  const { rows } = await service.pool.query<{ name: string }>('select current_database() as name');
  await service.pool.query(`alter database "${rows[0]?.name}" set idle_in_transaction_session_timeout = '${idleMs}ms'`);
  // New connections have it.
  await service.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
});
afterAll(() => service.close());

it('an export waits for a slow storage between its statements; a transaction that may write does not', async () => {
  const who = await service.integrator({ country: 'DE' });
  const receiptId = await makeReceipt(who, { amountGross: '17.77' });
  const upload = await fetch(`${service.url}/api/v1/receipts/${receiptId}/attachments?filename=scan.pdf`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${who.token}`, 'Content-Type': 'application/pdf' },
    body: '%PDF-1.7\nscan\n%%EOF\n',
  });
  expect(upload.status).toBe(201);
  await who.rest('POST', `/receipts/${receiptId}/book`);
  const read = service.fileStorage.read.bind(service.fileStorage);
  service.fileStorage.read = async (...args) => {
    await sleep(3 * idleMs);
    return read(...args);
  };
  const id = await startExport(who, { type: 'gobd', from: '2026-01-01', to: '2026-12-31' });
  await runJob(
    runExports(service, service.domain, 7, () => {}),
    { tenantId: who.tenantId },
  );
  expect(await untilEnded(who, id)).toMatchObject({ status: 'completed', error: null });
  const file = Buffer.from(await (await download(service, who, id)).arrayBuffer());
  expect([...(await unzip(file)).keys()]).toContain(`documents/receipts/${receiptId}-1.pdf`);

  const idle = who.db.$transaction(
    async (inside) => {
      await inside.customer.count();
      await sleep(3 * idleMs);
      await inside.customer.count();
    },
    { timeout: 60_000 },
  );
  await expect(idle).rejects.toSatisfy(isConnectionLost);
});
