import { readCpu } from '../cpu.ts';
import { load, type Outcome } from '../load.ts';
import type { Installation } from './installation.ts';
import type { KontorProcess } from './processes.ts';
import { figure, latencyFigures, type ReportRow } from './report.ts';
import { mixedRequests, type Requests } from './requests.ts';
import { sizeClasses, type SizeClass } from './sizes.ts';

/** So many connections send at the same time for the tenants of each size. */
const connections = 4;

/** Gets, lists, filters, and creates for all sizes of tenants at the same time, as fast as one process answers. */
export async function mixedLoad(
  { pool, tenants }: Installation,
  server: KontorProcess,
  seconds: number,
): Promise<ReportRow[]> {
  const requests = new Map<SizeClass, Requests>();
  for (const size of sizeClasses) {
    const ofSize = tenants.filter((tenant) => tenant.size === size);
    requests.set(size, await mixedRequests(pool, ofSize));
  }
  const send = (for_: number): Promise<Outcome[]> =>
    Promise.all(
      sizeClasses.map((size) =>
        load(`${size} tenants`, { urls: [server.url], requests: requests.get(size)!, connections, seconds: for_ }),
      ),
    );
  await send(Math.ceil(seconds / 3)); // until code is compiled and caches are warm
  const postgres = await postmaster(pool);
  const cpu = () => ({ node: readCpu(server.pid), postgres: readCpu(postgres) });
  const before = cpu();
  const outcomes = await send(seconds);
  const after = cpu();
  const all = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0);
  return [
    ...outcomes.map(({ perSecond, latency }, at) => ({
      work: `mixed load, ${sizeClasses[at]} tenants`,
      figures: [figure('requests per second', perSecond), ...latencyFigures(latency)],
    })),
    {
      work: 'mixed load, together',
      figures: [
        figure(
          'requests per second',
          outcomes.reduce((sum, outcome) => sum + outcome.perSecond, 0),
        ),
        figure('CPU time per request: Node', (after.node - before.node) / all, 'ms'),
        figure('PostgreSQL', (after.postgres - before.postgres) / all, 'ms'),
      ],
    },
  ];
}

/** The process id of PostgreSQL's first process, whose children do the work. */
async function postmaster(pool: Installation['pool']): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  return rows[0]!.pid;
}
