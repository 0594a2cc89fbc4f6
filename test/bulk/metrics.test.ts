import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { revokeToken } from '../../src/identity/index.ts';
import { startService } from '../harness.ts';
import * as sample from '../rest/samples.ts';
import { until, work } from '../webhooks/receiver.ts';
import { doInBulk, upload } from './operations.ts';

it('metrics count the lines of bulk operations, and operations that a worker has ended', async () => {
  const service = await startService();
  onTestFinished(service.close);
  const metrics = createMetrics();
  const read = async (name: string): Promise<Record<string, number>> => {
    const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels['outcome']), value]));
  };
  expect([await read('kontor_bulk_lines_total'), await read('kontor_bulk_operations_total')]).toEqual([
    { succeeded: 0, failed: 0 },
    { completed: 0, failed: 0 },
  ]);
  const [who, other] = [await service.integrator(), await service.integrator()];
  const customers = { resource: 'customers', action: 'create' };
  await upload(other, customers, [sample.customer]);
  await revokeToken(service.client, other.tokenId);
  const cancelled = await upload(who, customers, [sample.customer]);
  await who.rest('POST', `/bulk-operations/${cancelled.body.data.id}/cancel`);
  const worker = await work(service, { metrics });
  onTestFinished(worker.stop);
  const lines = Array.from({ length: 450 }, (_, at) => (at % 150 === 0 ? {} : sample.customer));
  await doInBulk(who, customers, lines);
  await until(
    async () => (await read('kontor_bulk_operations_total'))['failed'] === 1,
    'the one without access to fail',
  );
  await until(async () => (await read('kontor_bulk_operations_total'))['completed'] === 1, 'the other to be counted');
  expect(await read('kontor_bulk_lines_total')).toEqual({ succeeded: 447, failed: 3 });
  expect(await read('kontor_bulk_operations_total')).toEqual({ completed: 1, failed: 1 });
});
