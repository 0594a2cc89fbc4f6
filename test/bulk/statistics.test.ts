import { expect, it, onTestFinished } from 'vitest';
import { runBulkOperations } from '../../src/jobs/bulk-operations.ts';
import { onCluster } from '../citus/cluster.ts';
import { startService } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import * as sample from '../rest/samples.ts';
import { upload } from './operations.ts';

it.skipIf(onCluster('the shards have the statistics'))(
  'of very many lines, PostgreSQL knows the tenant once they are done',
  async () => {
    const service = await startService();
    onTestFinished(service.close);
    const { pool } = service;
    await pool.query('alter table customers set (autovacuum_enabled = false)');
    const unexpected: unknown[] = [];
    const task = runBulkOperations(service, service.domain, (error) => unexpected.push(error), undefined, 10);
    const isKnownAfter = async (lines: number): Promise<boolean> => {
      const who = await service.integrator();
      const bodies = Array.from({ length: lines }, () => sample.customer);
      expect(await upload(who, { resource: 'customers', action: 'create' }, bodies)).toMatchObject({ status: 201 });
      await runJob(task, { tenantId: who.tenantId });
      const { rows } = await pool.query<{ tenants: string }>(
        `select most_common_vals::text as tenants from pg_stats where tablename = 'customers' and attname = 'tenant_id'`,
      );
      return rows[0]?.tenants.includes(who.tenantId) ?? false;
    };
    expect(await isKnownAfter(9)).toBe(false);
    expect(await isKnownAfter(10)).toBe(true);
    expect(unexpected).toEqual([]);
  },
);
