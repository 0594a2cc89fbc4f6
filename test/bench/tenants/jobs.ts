import { setTimeout as sleep } from 'node:timers/promises';
import type { Callers } from './callers.ts';
import type { Installation } from './installation.ts';
import { peakMemory, type KontorProcess } from './processes.ts';
import { figure, type Row } from './report.ts';

/** The jobs of all tenants, and what each leaves less of. */
const jobs = [
  {
    task: 'overdue',
    work: 'job overdue',
    counted: `select count(*)::int as count from events where type = 'invoice.overdue'`,
  },
  { task: 'clean_up', work: 'job clean_up', counted: 'select -count(*)::int as count from events' },
  {
    task: 'clean_up_answers',
    work: 'job clean_up_answers',
    counted: 'select -count(*)::int as count from stored_answers',
  },
  {
    task: 'prove_documents',
    work: 'job prove_documents',
    counted: 'select -count(*)::int as count from unproven_documents',
  },
];

const givenUpAfterMs = 300_000;

/** Runs each job of all tenants beside callers, and then the feed of the largest tenant. */
export async function jobsBesideCallers(
  installation: Installation,
  { server, worker, callers, seconds }: Measuring,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { task, work, counted } of jobs) {
    const count = async (): Promise<number> =>
      (await installation.pool.query<{ count: number }>(counted)).rows[0]?.count ?? NaN;
    const before = await count();
    const row = await beside(callers, seconds, async () => {
      await installation.pool.query('select graphile_worker.add_job($1)', [task]);
      await jobsEnded(installation, task);
    });
    const changed = (await count()) - before;
    rows.push({ work, figures: [...row, figure('rows', changed), figure('memory', peakMemory(worker), 'MB')] });
  }
  rows.push(await feed(installation, { server, worker, callers, seconds }));
  return rows;
}

export interface Measuring {
  server: KontorProcess;
  worker: KontorProcess;
  callers: Callers;
  /** How long callers send to be measured. */
  seconds: number;
}

/** How long something took, and what it did to callers: the ratio of their p99 to that without it. */
export async function beside(callers: Callers, seconds: number, act: () => Promise<void>) {
  const quiet = await callers.send(seconds);
  const start = performance.now();
  const acting = act();
  const busy = await callers.send(seconds * 6, Promise.all([acting, sleep(1000)]));
  await acting;
  return [
    figure('seconds', (performance.now() - start) / 1000),
    figure("callers' p99 without it", quiet.latency.p99, 'ms'),
    figure('beside it', busy.latency.p99, 'ms'),
    figure('ratio', busy.latency.p99 / quiet.latency.p99),
  ];
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
async function feed({ tenants: [largest] }: Installation, { server, callers, seconds }: Measuring): Promise<Row> {
  let read = 0;
  const figures = await beside(callers, seconds, async () => {
    const end = performance.now() + seconds * 1000;
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
  });
  return {
    work: 'change feed of the largest tenant, a page of 1,000 each second',
    figures: [...figures, figure('changes', read), figure('memory of serve', peakMemory(server), 'MB')],
  };
}
