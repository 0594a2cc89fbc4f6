import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../../src/observability/metrics/metrics.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { customer } from '../rest/samples.ts';
import { createWebhook, startReceiver, status, until, work, type Receiver } from './receiver.ts';

let service: Service;
let metrics: Metrics;
let acme: Integrator;
let good: Receiver;
let bad: Receiver;

beforeAll(async () => {
  service = await startService();
  metrics = createMetrics();
  acme = await service.integrator();
  good = await startReceiver();
  bad = await startReceiver(status(500));
});
afterAll(async () => {
  await good.close();
  await bad.close();
  await service.close();
});

const counted = async (name: string, outcome?: string): Promise<number | undefined> => {
  const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels['outcome'] === outcome)?.value;
};

it('each attempt has the id of the request that caused its event, in the delivery log and in the log; metrics count the results', async () => {
  const { id } = await createWebhook(acme, { url: good.url });
  const failing = await createWebhook(acme, { url: bad.url });
  await acme.db.webhook.updateMany({ where: { id: failing.id }, data: { consecutiveFailures: 99 } });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const worker = await work(service, { retryDelaysMs: [20], timeoutMs: 10_000, log, metrics });
  const headers = { 'idempotency-key': 'once' };
  const { headers: answered, status: created } = await acme.rest('POST', '/customers', customer, headers);
  const requestId = answered.get('x-request-id');
  expect(created).toBe(201);

  const attempts = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'attempt');
  await until(() => attempts().length === 3, 'three attempts');
  await until(async () => (await acme.db.webhook.count({ where: { active: false } })) === 1, 'the deactivation');
  await worker.stop();
  const { deliveries } = await acme.graphql(
    'query ($id: UUID!) { deliveries(webhookId: $id, first: 1) { nodes { id event { id requestId } } } }',
    { id },
  );
  const [delivery] = deliveries.nodes;
  expect(delivery.event.requestId).toBe(requestId);
  expect(
    attempts()
      .map((line) => [line.requestId, line.eventId, line.attempt, line.status])
      .toSorted(),
  ).toEqual([
    [requestId, delivery.event.id, 1, 200],
    [requestId, delivery.event.id, 1, 500],
    [requestId, delivery.event.id, 2, 500],
  ]);
  expect(attempts().find((line) => line.status === 200)).toMatchObject({
    deliveryId: delivery.id,
    tenantId: acme.tenantId,
  });

  expect(await counted('kontor_webhook_deliveries_total', 'delivered')).toBe(1);
  expect(await counted('kontor_webhook_deliveries_total', 'waiting')).toBe(1);
  expect(await counted('kontor_webhook_deliveries_total', 'failed')).toBe(1);
  expect(await counted('kontor_webhooks_deactivated_total')).toBe(1);
});

it('a job that fails is logged with its task and its tenant', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  await service.pool.query(`select graphile_worker.add_job('fan_out', $1)`, [
    { tenantId: acme.tenantId, eventId: 'no UUID' },
  ]);
  const worker = await work(service, { retryDelaysMs: [20], timeoutMs: 10_000, log });
  const failures = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
  await until(() => failures().length > 0, 'the failure');
  await worker.stop();
  expect(failures()[0]).toMatchObject({ task: 'fan_out', tenantId: acme.tenantId });
  await service.pool.query('delete from graphile_worker._private_jobs');
});
