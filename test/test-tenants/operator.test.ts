import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeTenant, deleteTenant, reopenTenant } from '../../src/identity/index.ts';
import { createTestTenant } from '../../src/identity/test-tenants.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { startBulk } from '../bulk/start.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { createWebhook, startReceiver, status, until, work } from '../webhooks/receiver.ts';
import { startTestTenant } from './make.ts';

// An operator's actions on a tenant with test tenants, and the operator's view of it.

let service: Service;
let acme: Integrator;
let test: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  test = await startTestTenant(service, acme);
});

const answers = async (who: Integrator): Promise<number> => (await who.rest('GET', '/me')).status;
const later = (days: number) => (): Date => new Date(Date.now() + days * 86_400_000);

describe('closing a tenant', () => {
  it('closes its test tenants, and reopening it reopens those that were open', async () => {
    const [closedBefore, stranger] = [await startTestTenant(service, acme), await service.integrator()];
    const strangers = await startTestTenant(service, stranger);
    await closeTenant(service.client, closedBefore.tenantId);
    await closeTenant(service.client, acme.tenantId);
    expect(await Promise.all([acme, test, closedBefore, stranger, strangers].map(answers))).toEqual([
      403, 403, 403, 200, 200,
    ]);
    await expect(reopenTenant(service.client, test.tenantId)).rejects.toThrow(`Tenant ${acme.tenantId} is closed`);
    await expect(
      createTestTenant(service.client, { testOf: acme.tenantId, userId: acme.userId, name: 'Late', profile: null }),
    ).rejects.toThrow(`Tenant ${acme.tenantId} is closed`);

    await reopenTenant(service.client, acme.tenantId);
    expect(await Promise.all([acme, test, closedBefore].map(answers))).toEqual([200, 200, 403]);
    await reopenTenant(service.client, closedBefore.tenantId);
    expect(await answers(closedBefore)).toBe(200);
  });
});

describe('deleting a tenant', () => {
  it('deletes its test tenants, and counts them in the certificate', async () => {
    const stranger = await startTestTenant(service, await service.integrator());
    for (const who of [acme, test, stranger]) await makeCustomer(who);
    await closeTenant(service.client, acme.tenantId);
    const certificate = await deleteTenant(service, service.fileStorage, {
      id: acme.tenantId,
      by: 'operator',
      now: later(31),
    });
    expect(certificate.rows).toMatchObject({ tenants: 2, customers: 2 });
    for (const { tenantId } of [acme, test]) {
      expect(await service.client.tenant.findUnique({ where: { id: tenantId } })).toBeNull();
      const { rows } = await service.pool.query('select from customers where tenant_id = $1', [tenantId]);
      expect(rows).toEqual([]);
    }
    expect(await stranger.db.customer.count()).toBe(1);
    expect(await answers(stranger)).toBe(200);
  });
});

it('metrics of deliveries and of bulk operations don’t count those of test tenants', async () => {
  const metrics = createMetrics();
  const receiver = await startReceiver(status(204));
  for (const who of [test, acme]) {
    await createWebhook(who, { url: `${receiver.url}/hooks`, events: ['customer.created'] });
    await makeCustomer(who);
    await who.rest('GET', '/me');
    await startBulk(who, 'projects', 'create', '{"name": "x"}\n');
  }
  const worker = await work(service, { metrics });
  const delivered = ({ db }: Integrator) => db.delivery.count({ where: { state: 'DELIVERED' } });
  const done = async (who: Integrator): Promise<boolean> =>
    (await delivered(who)) === 1 && (await who.db.bulkOperation.count({ where: { status: 'COMPLETED' } })) === 1;
  await until(async () => (await done(test)) && (await done(acme)), 'both deliveries and operations');
  await worker.stop();
  await receiver.close();
  const text = await metrics.registry.metrics();
  expect(text).toContain('kontor_webhook_deliveries_total{outcome="delivered"} 1\n');
  expect(text).toContain('kontor_webhook_attempt_duration_seconds_count{outcome="success"} 1\n');
  expect(text).toContain('kontor_bulk_operations_total{outcome="completed"} 1\n');
  expect(text).toContain('kontor_bulk_lines_total{outcome="succeeded"} 1\n');
});
