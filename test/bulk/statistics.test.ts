import { expect, it, onTestFinished } from 'vitest';
import { runBulkOperations } from '../../src/jobs/bulk-operations.ts';
import { clusterUrl } from '../citus/cluster.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { camt, form, many, send } from '../bank/statement.ts';
import { importRecords } from '../record-import/records.ts';
import * as sample from '../rest/samples.ts';
import { until, work } from '../webhooks/receiver.ts';
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

it('of very many records, PostgreSQL knows the tenant soon after an import, within a request that can be repeated too', async () => {
  const service = await startService();
  onTestFinished(service.close);
  const { pool } = service;
  const tables = ['customers', 'bank_transactions'];
  for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  const [beside, few, who] = [await service.integrator(), await service.integrator(), await service.integrator()];
  await beside.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Acme' } });
  await pool.query(`analyze ${tables.join()}`);
  const count = 5000;
  const records = (rows: number): string => ['id', ...Array(rows).keys()].join('\n');
  const options = { columns: { externalId: 'id', companyName: 'id' }, defaults: { type: 'CUSTOMER' } };
  const dry = { ...options, dryRun: true };
  expect(await importRecords(service, few, 'Customer', records(count - 1), options)).toMatchObject({
    imported: count - 1,
  });
  expect(await importRecords(service, who, 'Customer', records(count), dry)).toMatchObject({ imported: count });
  expect(await findAnalyzeJobs(service)).toEqual([]);
  expect(await importRecords(service, who, 'Customer', records(count), options)).toMatchObject({ imported: count });
  const headers = { authorization: `Bearer ${who.token}`, 'idempotency-key': 'statement' };
  expect((await send(service, form(camt(many(count))), headers)).body.data.imported).toMatchObject({ imported: count });
  expect(await findAnalyzeJobs(service)).toEqual([who.tenantId, who.tenantId]);
  const worker = await work(service, { crontab: [] });
  await until(async () => (await findAnalyzeJobs(service)).length === 0, 'the statistics');
  await worker.stop();
  for (const table of tables)
    expect(await findKnown(service, table)).toEqual(expect.arrayContaining([expect.stringContaining(who.tenantId)]));
});

const findAnalyzeJobs = async ({ pool }: Pick<Service, 'pool'>): Promise<string[]> =>
  (
    await pool.query<{ tenant: string }>(
      `select payload ->> 'tenantId' as tenant from graphile_worker._private_jobs join graphile_worker._private_tasks as task
         on task.id = task_id where identifier = 'analyze_tables'`,
    )
  ).rows.map(({ tenant }) => tenant);

/** The tenants of which PostgreSQL has statistics: on a cluster, for each shard. */
async function findKnown({ pool }: Pick<Service, 'pool'>, table = 'customers'): Promise<string[]> {
  const counted = `select coalesce(max(most_common_vals::text), '') as result from pg_stats where attname = 'tenant_id' and tablename = '%s'`;
  const { rows } = await (clusterUrl === undefined
    ? pool.query<{ result: string }>(counted.replace('%s', table))
    : pool.query<{ result: string }>('select result from run_command_on_shards($1, $2)', [table, counted]));
  return rows.map(({ result }) => result);
}
