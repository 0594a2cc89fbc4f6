import { escapeLiteral, type Pool, type QueryConfig, type QueryResult } from 'pg';
import { UnavailableError } from '../connection/unavailable.ts';

/** A worker of Citus that doesn't answer: for the tenants whose rows it has. */
export class WorkerAwayError extends UnavailableError {
  /** Whether it only has taken too long: a machine with too much to do may, too. */
  readonly isSlow: boolean;

  constructor(worker: number, cause?: unknown, isSlow = false) {
    super(`The worker with the nodeid ${worker} does not answer`, { cause });
    this.isSlow = isSlow;
  }
}

/** How long a worker may take to answer: less than a readiness check may. */
const timeoutMs = 2000;
/** So much later, the coordinator itself may hang, or be gone. */
const coordinatorMs = 1000;

interface Answer {
  success: boolean;
  result: string;
}

/**
 * Runs a query on one worker alone, on a connection of its own: nobody else's wait for it. (A statement on distributed tables
 * that names no tenant would need every worker.)
 * @param id the worker's `nodeid` in pg_dist_node
 * @returns the rows, as JSON has them
 * @throws WorkerAwayError if the worker doesn't answer
 */
export async function askWorker<Row>(pool: Pool, id: number, query: string): Promise<Row[]> {
  const asJson = `select coalesce(json_agg(answer), '[]') from (${query}) as answer`;
  return JSON.parse(await runOnWorker(pool, id, asJson)) as Row[];
}

/**
 * The same with a command, which answers one text, or nothing.
 * @param ms how long it may take
 */
export async function runOnWorker(pool: Pool, id: number, command: string, ms = timeoutMs): Promise<string> {
  const text = `
    begin;
    set local statement_timeout = ${ms};
    select success, result from pg_dist_node,
      master_run_on_worker(array[nodename], array[nodeport], array[${escapeLiteral(command)}], true)
    where nodeid = ${id};
    commit`;
  let answer: Answer | undefined;
  try {
    const statement: QueryConfig & { query_timeout: number } = { text, query_timeout: ms + coordinatorMs };
    const results = (await pool.query(statement)) as unknown as QueryResult<Answer>[];
    answer = results[2]?.rows[0];
  } catch (error) {
    if ((error as { code?: string }).code === '57014') throw new WorkerAwayError(id, error, true); // the statement's timeout
    throw error;
  }
  if (answer?.success) return answer.result;
  const reason = answer?.result ?? 'it is not in pg_dist_node';
  if (noConnection.test(reason)) throw new WorkerAwayError(id, new Error(reason));
  throw new Error(`The worker with the nodeid ${id}: ${reason}`);
}

/** Citus's messages where the worker gave no answer of its own. */
const noConnection = /^(?:failed to connect|connection )|not in pg_dist_node|shutting down|starting up|recovery mode/;
