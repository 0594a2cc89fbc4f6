import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type TaskList } from 'graphile-worker';
import { Client, Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startQueue, usualCrontab } from '../../src/jobs/queue/queue.ts';
import { createDatabase, type Database } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';

// A failure that graphile-worker doesn't settle, or throws where nobody hears it, would end the process, with all its
// requests, or keep it from ending.

const logger = new Logger(() => () => {});

let database: Database;
let pool: Pool;
beforeEach(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url, max: 3 });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** Begins a run, two of whose jobs are under way until `over`. */
function begin(join: Parameters<typeof startQueue>[2]) {
  const over = Promise.withResolvers<void>();
  const taskList: TaskList = { task: () => over.promise };
  return {
    over: () => over.resolve(),
    run: startQueue(pool, { taskList, crontab: [], concurrency: 2, logger, onBacklog: () => {} }, join),
  };
}

async function someWaitInTheProcess(): Promise<void> {
  await pool.query(`select graphile_worker.add_job('task') from generate_series(1, 4)`);
  await until(async () => (await locked()) > 2, 'jobs that wait in the process');
}

async function locked(): Promise<number> {
  const { rows } = await pool.query('select from graphile_worker.jobs where locked_by is not null');
  return rows.length;
}

describe('a run of the queue', () => {
  it('does its jobs where the share of a process is one connection', async () => {
    const small = new Pool({ connectionString: database.url, max: 1, connectionTimeoutMillis: 500 });
    let done = 0;
    const taskList: TaskList = { task: async () => void (done += 1) };
    const settings = { taskList, crontab: [], concurrency: 2, logger, onBacklog: () => {} };
    const run = await startQueue(small, settings, async () => async () => {});
    await pool.query(`select graphile_worker.add_job('task') from generate_series(1, 4)`);
    await until(() => done === 4, 'the jobs', 10_000);
    await run.stop();
    await small.end();
  });

  it('ends when a connection breaks while it releases its jobs', async () => {
    const { run: running, over } = begin(async () => async () => {});
    const run = await running;
    await someWaitInTheProcess();
    const other = await pool.connect();
    await other.query('begin; lock table graphile_worker._private_jobs in access exclusive mode');
    const stopped = run.stop();
    const givingBack = `select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%update%_private_jobs%'`;
    await until(async () => (await pool.query(givingBack)).rows.length > 0, 'the jobs to be given back');
    await pool.query(`select pg_terminate_backend(pid) from (${givingBack}) as waiting`);
    await other.query('rollback');
    other.release();
    over();

    await stopped;
    await run.ended;
    expect(await locked()).toBeGreaterThan(0); // which it is join()'s to free
  });

  it('doesn’t start when the database is lost before its worker is registered', async () => {
    const { pathname } = new URL(database.url);
    const elsewhere = new Client({ connectionString: new URL('/postgres', database.url).href });
    await elsewhere.connect();
    const name = elsewhere.escapeIdentifier(pathname.slice(1));
    const join = async (): Promise<never> => {
      await someWaitInTheProcess();
      await elsewhere.query(`alter database ${name} allow_connections false`);
      await elsewhere.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        pathname.slice(1),
      ]);
      throw new Error('No database');
    };
    pool.on('error', () => {});
    const { run, over } = begin(join);
    await expect(run).rejects.toThrow('No database');
    over();
    await elsewhere.query(`alter database ${name} allow_connections true`);
    await elsewhere.end();
  });
});

describe('jobs that a trigger adds', () => {
  it('come in their order, and none that waits is read, even if all was planned while the queue was empty', async () => {
    const client = await pool.connect();
    try {
      const add = (from: number, to: number) =>
        client.query(
          `select queue_jobs('task', array(select json_build_object('n', n) from generate_series($1::int, $2) as n))`,
          [from, to],
        );
      await add(1, 1);
      await add(2, 3000);
      const { rows } = await client.query<{ n: number }>(
        `select (payload ->> 'n')::int as n from graphile_worker._private_jobs order by id`,
      );
      expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 3000 }, (_, at) => at + 1));

      await client.query('begin'); // which the counts are of
      const countRead = async () => {
        const { rows: counts } = await client.query(`select seq_tup_read + idx_tup_fetch as read
          from pg_stat_xact_all_tables where relid = 'graphile_worker._private_jobs'::regclass`);
        return counts;
      };
      const before = await countRead();
      await add(3001, 3001);
      expect(await countRead()).toEqual(before);
      await client.query('commit');
    } finally {
      client.release();
    }
  });
});

describe('a job that is added every minute', () => {
  const everyMinute = usualCrontab.filter(({ match }) => match === '* * * * *');

  it.each(everyMinute.map(({ task, options }) => ({ task, options })))(
    'does not run beside an earlier one that takes longer: $task',
    async ({ task, options }) => {
      const over = Promise.withResolvers<void>();
      let running = 0;
      let done = 0;
      const seen: number[] = [];
      const work = async (): Promise<void> => {
        seen.push((running += 1));
        await over.promise;
        running -= 1;
        done += 1;
      };
      const settings = { taskList: { [task]: work }, crontab: [], concurrency: 4, logger, onBacklog: () => {} };
      const run = await startQueue(pool, settings, async () => async () => {});
      const add = () =>
        pool.query('select graphile_worker.add_job($1, queue_name => $2, job_key => $3)', [
          task,
          options?.queueName ?? null,
          options?.jobKey ?? null,
        ]);
      await add();
      await until(() => running === 1, 'the first job');
      for (let minute = 0; minute < 3; minute += 1) await add();
      await sleep(1000); // the queue looks for jobs four times a second
      over.resolve();
      await until(() => running === 0 && done === 2, 'the jobs', 10_000);
      expect(seen).toEqual([1, 1]);
      await run.stop();
    },
  );
});
