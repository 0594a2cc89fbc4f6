import { setTimeout as sleep } from 'node:timers/promises';
import type { Callers } from './callers.ts';
import type { Installation } from './installation.ts';
import { peakMemory, type KontorProcess } from './processes.ts';
import { figure, type Figure, type ReportRow } from './report.ts';

/** The jobs of all tenants, and what each leaves less of. */
const jobs = [
  {
    task: 'overdue',
    work: 'job overdue',
    counted: `select count(*)::int as count from events where type = 'invoice.overdue'`,
  },
  { task: 'clean_up', work: 'job clean_up', counted: 'select -count(*)::int as count from events' },
  {
    task: 'clean_up_responses',
    work: 'job clean_up_responses',
    counted: 'select -count(*)::int as count from stored_responses',
  },
  {
    task: 'prove_documents',
    work: 'job prove_documents',
    counted: 'select -count(*)::int as count from unproven_documents',
  },
];

const givenUpAfterMs = 600_000;

/** Runs each job of all tenants beside callers, and then the feed of the largest tenant. */
export async function jobsBesideCallers(installation: Installation, measuring: Measuring): Promise<ReportRow[]> {
  const { pool } = installation;
  await keepClockOut(installation);
  const acts: Act[] = jobs.map(({ task, work, counted }) => ({
    work,
    act: async () => {
      const count = async (): Promise<number> => (await pool.query<{ count: number }>(counted)).rows[0]?.count ?? NaN;
      const before = await count();
      await pool.query('select graphile_worker.add_job($1)', [task]);
      await jobsEnded(installation, task);
      return [figure('rows', (await count()) - before), figure('memory', peakMemory(measuring.worker), 'MB')];
    },
  }));
  return besideCallers(installation, measuring, [...acts, feed(installation, measuring)]);
}

export interface Measuring {
  server: KontorProcess;
  worker: KontorProcess;
  callers: Callers;
  /** How long callers send to be measured. */
  seconds: number;
}

/** Something that callers should not notice. */
interface Act {
  work: string;
  /** @returns figures of its own */
  act: () => Promise<Figure[]>;
}

/**
 * How long each took, and what it did to callers: the ratio of their p99 to that without it. The latter is the mean of before
 * and after, because the machine's speed changes.
 */
async function besideCallers(
  installation: Installation,
  { callers, seconds }: Measuring,
  acts: Act[],
): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  await settle(installation);
  let before = await callers.send(seconds);
  for (const { work, act } of acts) {
    const start = performance.now();
    const acting = act();
    const during = await callers.send(seconds * 6, Promise.all([acting, sleep(1000)]));
    const figures = await acting;
    const elapsed = (performance.now() - start) / 1000;
    await settle(installation);
    const after = await callers.send(seconds);
    const quiet = (before.latency.p99 + after.latency.p99) / 2;
    rows.push({
      work,
      figures: [
        figure('seconds', elapsed),
        figure("callers' p99 without it", quiet, 'ms'),
        figure('beside it', during.latency.p99, 'ms'),
        figure('ratio', during.latency.p99 / quiet),
        ...figures,
      ],
    });
    before = after;
  }
  return rows;
}

/** Jobs that begin by the clock would disturb the measurement: for the queue, all of today's have run already. */
const keepClockOut = ({ pool }: Installation): Promise<unknown> =>
  pool.query(
    `insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
     select task, now(), now() + interval '1 day' from unnest($1::text[]) as task
     on conflict (identifier) do update set last_execution = excluded.last_execution`,
    [jobs.map(({ task }) => task)],
  );

/** Waits for work that the load before has left: jobs, and rows to be written to the disk. It would disturb the next measurement. */
async function settle({ pool }: Installation): Promise<void> {
  const end = performance.now() + givenUpAfterMs;
  const isWorking = async (): Promise<boolean> =>
    (await pool.query('select from graphile_worker.jobs where run_at <= now() limit 1')).rowCount !== 0;
  while (await isWorking()) {
    if (performance.now() > end) throw new Error('The jobs take too long');
    await sleep(200);
  }
  await pool.query('checkpoint');
}

/** Waits until there is no job of a task any more. */
async function jobsEnded({ pool }: Installation, task: string): Promise<void> {
  const end = performance.now() + givenUpAfterMs;
  for (;;) {
    const { rows } = await pool.query('select from graphile_worker.jobs where task_identifier = $1 limit 1', [task]);
    if (rows.length === 0) return;
    if (performance.now() > end) throw new Error(`The job ${task} takes too long`);
    await sleep(20);
  }
}

/** Reads the change feed of the largest tenant from its beginning, as fast as the limit for a token allows by default. */
const feed = ({ tenants: [largest] }: Installation, { server, seconds }: Measuring): Act => ({
  work: 'change feed of the largest tenant, a page of 1,000 each second',
  act: async () => {
    const end = performance.now() + seconds * 2000;
    let read = 0;
    let cursor: string | null = null;
    while (performance.now() < end) {
      const query: string = new URLSearchParams({
        limit: '1000',
        ...(cursor !== null && { since: cursor }),
      }).toString();
      const response = await fetch(new URL(`/api/v1/changes?${query}`, server.url), {
        headers: { authorization: `Bearer ${largest!.token}` },
      });
      const page = (await response.json()) as { data: unknown[]; meta: { cursor: string; has_more: boolean } };
      read += page.data.length;
      cursor = page.meta.has_more ? page.meta.cursor : null;
      await sleep(1000);
    }
    return [figure('changes', read), figure('memory of serve', peakMemory(server), 'MB')];
  },
});
