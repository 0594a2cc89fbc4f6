import { expect, it, onTestFinished } from 'vitest';
import { runBulkOperations } from '../../src/jobs/bulk-operations.ts';
import { clusterUrl } from '../citus/cluster.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import * as sample from '../rest/samples.ts';
import { upload } from './operations.ts';

it('of very many lines, PostgreSQL knows the tenant once they are done', async () => {
  const service = await startService();
  onTestFinished(service.close);
  const { pool } = service;
  await pool.query('alter table customers set (autovacuum_enabled = false)');
  const unexpected: unknown[] = [];
  const task = runBulkOperations(service, service.domain, (error) => unexpected.push(error), undefined, 10);
  const makeTenant = async (other?: Integrator): Promise<Integrator> => {
    const who = await service.integrator();
    const isBeside =
      other !== undefined &&
      (await service.workers.find(who.tenantId)) === (await service.workers.find(other.tenantId));
    return clusterUrl !== undefined && isBeside ? makeTenant(other) : who;
  };
  const knownAfter = async (lines: number, other?: Integrator): Promise<{ who: Integrator; known: string[] }> => {
    const who = await makeTenant(other);
    const bodies = Array.from({ length: lines }, () => sample.customer);
    expect(await upload(who, { resource: 'customers', action: 'create' }, bodies)).toMatchObject({ status: 201 });
    await runJob(task, { tenantId: who.tenantId });
    return { who, known: await findKnown(service) };
  };
  const { who: unknown, known: before } = await knownAfter(9);
  expect(before.join()).not.toContain(unknown.tenantId);
  const { who, known } = await knownAfter(10, unknown);
  expect(known.filter((tenants) => tenants !== '')).toEqual([expect.stringContaining(who.tenantId)]);
  expect(unexpected).toEqual([]);
});

/** The tenants of which PostgreSQL has statistics: on a cluster, for each shard. */
async function findKnown({ pool }: Pick<Service, 'pool'>): Promise<string[]> {
  const counted = `select coalesce(max(most_common_vals::text), '') as result from pg_stats where attname = 'tenant_id' and tablename = '%s'`;
  const { rows } = await (clusterUrl === undefined
    ? pool.query<{ result: string }>(counted.replace('%s', 'customers'))
    : pool.query<{ result: string }>('select result from run_command_on_shards($1, $2)', ['customers', counted]));
  return rows.map(({ result }) => result);
}
