import { Logger } from 'graphile-worker';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { beginQueue } from '../../src/jobs/queue.ts';
import { createDatabase } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';

// graphile-worker would throw it where nobody hears it, and the process with all its requests would end.
it('a connection that breaks while a run that ends gives back its jobs harms nobody', async () => {
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url, max: 3 });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const logger = new Logger(() => () => {});
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const task = async (): Promise<void> => {
    begun.resolve();
    await over.promise;
  };
  const run = await beginQueue(pool, { taskList: { task }, concurrency: 2, logger }, async () => async () => {});
  const locked = async (): Promise<number> =>
    Number((await pool.query('select count(*) from graphile_worker.jobs where locked_by is not null')).rows[0].count);
  await pool.query(`select graphile_worker.add_job('task') from generate_series(1, 4)`);
  await begun.promise;
  await until(async () => (await locked()) > 2, 'jobs that wait in the process');

  const other = await pool.connect();
  await other.query('begin; lock table graphile_worker._private_jobs in access exclusive mode');
  const stopped = run.stop();
  const givingBack = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%update%_private_jobs%'`;
  await until(async () => (await pool.query(givingBack)).rows.length > 0, 'the jobs to be given back');
  await pool.query(`select pg_terminate_backend(pid) from (${givingBack}) as waiting`);
  await other.query('rollback');
  other.release();
  over.resolve();

  await run.ended;
  await stopped;
  expect(await locked()).toBeGreaterThan(0); // which join()'s end is to free
});
