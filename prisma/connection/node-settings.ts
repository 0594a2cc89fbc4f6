import type { Pool, QueryResult } from 'pg';

// Times and dates are sent as text. Kontor reads them as UTC and in the form of ISO 8601. Citus' workers don't get the
// settings of our sessions, so the settings of their servers count.

/** A server of the database: PostgreSQL itself, Citus' coordinator, or one of its workers. */
interface Node {
  name: string;
  timeZone: string;
  dateStyle: string;
}

const ownSettings = `select 'The database' as name, current_setting('TimeZone') as "timeZone",
  current_setting('DateStyle') as "dateStyle"`;
const isCitus = `select where to_regproc('run_command_on_workers') is not null`;
const workersSettings = `
  select 'The worker ' || nodename || ':' || nodeport as name, result::json ->> 0 as "timeZone", result::json ->> 1 as "dateStyle"
  from run_command_on_workers($$select json_build_array(current_setting('TimeZone'), current_setting('DateStyle'))$$)
  where success`;

const utc = /^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu)$/i;

/**
 * Finds a problem in the settings of the database's servers, in one line; undefined if there is none. Workers that
 * don't answer are left out.
 */
export async function findSettingsProblem(pool: Pool): Promise<string | undefined> {
  const nodes = (await pool.query<Node>(ownSettings)).rows;
  if ((await pool.query(isCitus)).rowCount) nodes.push(...(await pool.query<Node>(workersSettings)).rows);
  return nodes.map(findProblem).find((problem) => problem !== undefined);
}

/** The same of the server that the pool connects to. */
export async function findOwnSettingsProblem(pool: Pool): Promise<string | undefined> {
  const [own] = (await pool.query<Node>(ownSettings)).rows;
  return own && findProblem(own);
}

function findProblem({ name, timeZone, dateStyle }: Node): string | undefined {
  if (!utc.test(timeZone)) return `${name} has the time zone ${timeZone}. Set timezone = 'UTC' in its configuration.`;
  if (!dateStyle.startsWith('ISO'))
    return `${name} writes dates as ${dateStyle}. Set datestyle = 'ISO, YMD' in its configuration.`;
  return undefined;
}

const areWorkersUsed = `select where is_distributed() and to_regclass('pg_dist_node') is not null`;
const activeWorkers = `
  select nodeid as id from pg_dist_node where groupid <> 0 and noderole = 'primary' and isactive order by nodeid`;

/** Positions of the change feed are times of the worker that has the tenant. */
const maxClockDifferenceSeconds = 1;

/** How long a worker may take to answer: less than a readiness check may. */
const timeoutMs = 2000;

// The worker's clock is read between the statement's beginning and the reading of the answer.
const askWorker = (id: number): string => `
  begin;
  set local statement_timeout = ${timeoutMs};
  select success, result::json ->> 0 as "timeZone", result::json ->> 1 as "dateStyle", (result::json ->> 3)::boolean as "isPrepared",
    greatest(
      extract(epoch from statement_timestamp()) - (result::json ->> 2)::numeric,
      (result::json ->> 2)::numeric - extract(epoch from clock_timestamp())
    )::float as difference
  from (
    select answer.success, case when answer.success then answer.result end as result
    from pg_dist_node, master_run_on_worker(array[nodename], array[nodeport], array[$$
      select json_build_array(
        current_setting('TimeZone'), current_setting('DateStyle'), extract(epoch from clock_timestamp()),
        to_regclass('changes_position_seq') is not null
      ) $$], true) as answer
    where nodeid = ${id}
  ) as answer;
  commit`;

interface WorkerAnswer {
  success: boolean;
  timeZone: string;
  dateStyle: string;
  /** Whether it has what Citus doesn't send to a new worker. */
  isPrepared: boolean;
  /** In seconds, how far the worker's clock is from the coordinator's, at least. */
  difference: number;
}

/**
 * Finds a problem of a worker that has books, in one line; undefined if there is none. Workers are named by their
 * `nodeid` in pg_dist_node, because anybody can read this line at /health/ready. The database must have been migrated.
 */
export async function findWorkersProblem(pool: Pool): Promise<string | undefined> {
  if (!(await pool.query(areWorkersUsed)).rowCount) return undefined;
  const { rows } = await pool.query<{ id: number }>(activeWorkers);
  const problems = await Promise.all(rows.map(({ id }) => findWorkerProblem(pool, id)));
  return problems.find((problem) => problem !== undefined);
}

async function findWorkerProblem(pool: Pool, id: number): Promise<string | undefined> {
  const name = `The worker with the nodeid ${id}`;
  const silent = `${name} does not answer.`;
  try {
    const results = (await pool.query(askWorker(id))) as unknown as QueryResult<WorkerAnswer>[];
    const answer = results[2]?.rows[0];
    if (!answer?.success) return silent;
    if (!answer.isPrepared) return `${name} is new. Run: npm run -s kontor -- distribute`;
    if (answer.difference > maxClockDifferenceSeconds)
      return `${name} has a clock that differs by ${answer.difference.toFixed(1)} s from the coordinator's.`;
    return findProblem({ name, ...answer });
  } catch (error) {
    if ((error as { code?: string }).code === '57014') return silent; // the statement's timeout
    throw error;
  }
}
