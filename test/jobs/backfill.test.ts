import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { parseBackfill, readProgress, type BackfillProgress } from '../../prisma/migrate/backfills.ts';
import { readStatus } from '../../prisma/migrate/migration-status.ts';
import { measureDatabase } from '../../src/observability/metrics/database.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { backfill } from '../../src/jobs/backfill.ts';
import { ready, startService, type Integrator, type Service } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';
import { runJob } from './run-job.ts';

const name = '99990000000000_filled';
/** A row that is filled twice shows it. */
const statement = `-- Why.
update customers set filled = coalesce(filled, 0) + 1
where tenant_id = $1 and id > $2 and id <= $3 and city is distinct from 'full'`;
const rowsOfTenants = [700, 0, 200, 450];

let service: Service;
let tenants: Integrator[];

beforeAll(async () => {
  service = await startService();
  await service.pool.query('alter table customers add column filled int');
  tenants = [];
  for (const count of rowsOfTenants) {
    const who = await service.integrator();
    tenants.push(who);
    const data = Array.from({ length: count }, (_, at) => ({
      type: 'CUSTOMER' as const,
      companyName: `C ${at}`,
      country: 'DE',
    }));
    await who.db.customer.createMany({ data });
  }
});
afterAll(() => service.close());

beforeEach(async () => {
  await service.pool.query(
    'delete from backfills; delete from _prisma_migrations where migration_name = $$99990000000000_filled$$; alter table customers drop column filled, add column filled int',
  );
});

const apply = (): Promise<unknown> =>
  service.pool.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at) values ('x', 'x', $1, now(), now())`,
    [name],
  );
const run = (sql = statement): Promise<unknown> =>
  runJob(backfill(service.pool, async () => [parseBackfill(name, sql)]));
const counts = async (): Promise<object[]> =>
  (await service.pool.query('select filled, count(*)::int as rows from customers group by 1 order by 1')).rows;
const progress = async (): Promise<BackfillProgress | undefined> => (await readProgress(service.pool))[0];

it('begins once its migration is applied, and fills each row of each tenant once', async () => {
  await run();
  expect([await progress(), await counts()]).toEqual([undefined, [{ filled: null, rows: 1350 }]]);
  await apply();
  await run();
  expect(await counts()).toEqual([{ filled: 1, rows: 1350 }]);
  expect(await progress()).toMatchObject({
    name,
    table: 'customers',
    rows: 1350,
    error: null,
    finishedAt: expect.any(Date),
  });
  await run();
  expect(await counts()).toEqual([{ filled: 1, rows: 1350 }]);
});

it('processes that run at once and are killed in any moment fill each row once', async () => {
  await apply();
  const script = fileURLToPath(new URL('backfill-process.ts', import.meta.url));
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [script, service.pool.options.connectionString ?? '', name, statement], {
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const rows = async (): Promise<number> => (await progress())?.rows ?? 0;
  for (const passed of [1, 400, 800]) {
    const both = [start(), start()];
    await until(async () => (await rows()) >= passed, `${passed} rows`, 60_000);
    for (const child of both) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  }
  const last = [start(), start()];
  await Promise.all(last.map((child) => once(child, 'exit')));
  await until(async () => (await progress())?.finishedAt !== null, 'the end', 60_000);
  expect(await counts()).toEqual([{ filled: 1, rows: 1350 }]);
});

it('one that fails says why in its progress and its metric, and goes on where it stopped', async () => {
  await apply();
  const first = tenants[0]!;
  const [{ id } = { id: '' }] = await first.db.customer.findMany({ orderBy: { id: 'asc' }, skip: 500, take: 1 });
  await expect(
    run(statement.replace('+ 1', `+ case when id = '${id}' then 1 / (id <> '${id}')::int else 1 end`)),
  ).rejects.toThrow('division by zero');
  expect(await progress()).toMatchObject({ rows: 400, finishedAt: null, error: 'division by zero' });
  expect((await readStatus(service.pool)).backfills).toMatchObject([{ name, rows: 400, error: 'division by zero' }]);
  const metrics = createMetrics();
  measureDatabase(metrics, { ...service, ...ready });
  await service.pool.query('analyze customers');
  expect(await metrics.registry.metrics()).toContain(
    `kontor_backfill_progress_ratio{migration="${name}"} ${400 / 1350}\n`,
  );
  await run();
  expect(await progress()).toMatchObject({ rows: 1350, error: null });
  expect(await counts()).toEqual([{ filled: 1, rows: 1350 }]);
});

it('a batch that waits for a row lets others have its other rows', async () => {
  await apply();
  const who = tenants[2]!;
  const rows = await who.db.customer.findMany({ select: { id: true }, orderBy: { id: 'asc' } });
  const holder = await service.pool.connect();
  await holder.query('begin');
  await holder.query('select from customers where tenant_id = $1 and id = $2 for update', [
    who.tenantId,
    rows.at(-1)?.id,
  ]);
  const ended = run();
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%set filled%'`;
  await until(async () => (await service.pool.query(waiting)).rowCount === 1, 'the batch', 60_000);
  await service.pool.query(`update customers set city = 'Bonn' where tenant_id = $1 and id = $2`, [
    who.tenantId,
    rows[0]?.id,
  ]);
  await holder.query('commit');
  holder.release();
  await ended;
  expect(await counts()).toEqual([{ filled: 1, rows: 1350 }]);
});
