import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { yieldToOtherTenants } from '../../src/jobs/queue/fairness.ts';
import { emptyOutbox } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { work } from '../webhooks/receiver.ts';

// A tenant with very many events delays nobody else's (ARCHITECTURE.md#from-an-event-to-a-webhook).

let service: Service;
let busy: Integrator;
let other: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  await service.pool.query('delete from graphile_worker._private_jobs');
  [busy, other] = [await service.integrator(), await service.integrator()];
});
afterAll(() => service.close());

async function emit({ db }: Integrator, count: number): Promise<void> {
  await db.event.createMany({ data: Array.from({ length: count }, () => ({ type: 'customer.created', body: '{}' })) });
  await emptyOutbox(service);
}

/** The tenant of the job that a worker takes next. */
async function nextTenant(): Promise<string | undefined> {
  const { rows } = await service.pool.query<{ tenant: string }>(
    `select payload ->> 'tenantId' as tenant from graphile_worker._private_jobs order by priority, run_at, id limit 1`,
  );
  return rows[0]?.tenant;
}

it('lets the jobs of a tenant with many yield to those of others', async () => {
  await emit(busy, 1000);
  await emit(other, 1);
  expect(await nextTenant()).toBe(busy.tenantId);
  expect(await yieldToOtherTenants(service.pool)).toBe(1000);
  expect(await nextTenant()).toBe(other.tenantId);
  expect(await yieldToOtherTenants(service.pool)).toBe(0);
});

it('lets the jobs of others go first meanwhile', async () => {
  await emit(busy, 1000);
  await emit(other, 1);
  await yieldToOtherTenants(service.pool);
  const { rows } = await service.pool.query(
    `select payload ->> 'tenantId' as tenant, priority, count(*)::int as jobs
     from graphile_worker._private_jobs group by 1, 2 order by 2`,
  );
  expect(rows).toEqual([
    { tenant: other.tenantId, priority: -1, jobs: 1 },
    { tenant: busy.tenantId, priority: 1, jobs: 1000 },
  ]);
});

it('lets the jobs of others go first that come while very many yield', async () => {
  await emit(busy, 1000);
  // Each statement that lets some of the many yield is followed by one that looks for other tenants' new jobs.
  let statements = 0;
  const pool = new Proxy(service.pool, {
    get: (target, name) =>
      name !== 'query'
        ? Reflect.get(target, name)
        : async (sql: string, values?: unknown[]) => {
            const result = await target.query(sql, values);
            if (sql.includes('priority => 1)') && (statements += 1) === 1) await emit(other, 1);
            return result;
          },
  });
  expect(await yieldToOtherTenants(pool, 400)).toBe(1000);
  expect(statements).toBe(3);
  expect(await nextTenant()).toBe(other.tenantId);
  const { rows } = await service.pool.query('select priority from graphile_worker.jobs where priority <> 1');
  expect(rows).toEqual([{ priority: -1 }]);
});

it('leaves the jobs of tenants with few, however many they are together, and those that are not due', async () => {
  await emit(busy, 150);
  await emit(other, 150);
  expect(await yieldToOtherTenants(service.pool)).toBe(0);
  await emit(busy, 100);
  await service.pool.query(`update graphile_worker._private_jobs set run_at = now() + interval '1 hour'`);
  expect(await yieldToOtherTenants(service.pool)).toBe(0);
});

it('is done by a worker that gets as many jobs as it can', async () => {
  await emit(busy, 3000);
  const worker = await work(service);
  const yielded = 'select from graphile_worker.jobs where priority = 1 limit 1';
  await expect.poll(async () => (await service.pool.query(yielded)).rowCount, { interval: 20 }).toBe(1);
  await worker.stop();
});
