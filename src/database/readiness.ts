import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, QueryResult } from 'pg';
import { findConnectionProblem } from '../../prisma/connection/connection-problem.ts';

/** How long a readiness check may take: callers don't wait longer. */
const timeoutMs = 3000;
/** The part of it in which a reason is looked for, if nothing was found before. */
const explainMs = 1000;

// The query exceeds this work_mem, so that PostgreSQL writes to disk, and fails if the disk is full.
const probe = `
  begin;
  set local work_mem = '64kB';
  select current_setting('transaction_read_only') = 'on' as "readOnly";
  select count(distinct repeat(n::text, 20)) from generate_series(1, 2000) as n;
  rollback`;

const slow = 'The database is slow.';
/** By PostgreSQL's error codes. */
const reasons = new Map([
  ['53100', 'The database has no room left on its disk.'],
  ['53200', 'The database has no memory left.'],
  ['57014', slow],
]);
const silent = 'The database does not answer.';

/**
 * Checks readiness: the database answers within 3 seconds, and can be written to.
 * @param pending a further check
 * @param explain finds the reason why the database doesn't answer; throws an error of a connection, if that is the reason
 * @returns a function that gives the reason why requests can't be answered; undefined if they can
 */
export function createReadiness(
  pool: Pool,
  pending: () => Promise<string | undefined>,
  explain?: () => Promise<void>,
): () => Promise<string | undefined> {
  const look = async (): Promise<string | undefined> => {
    const startedAt = performance.now();
    const results = (await pool.query(probe)) as unknown as QueryResult<{ readOnly: boolean }>[];
    if (results[2]?.rows[0]?.readOnly) return 'The database is read-only.';
    const reason = await pending();
    return performance.now() - startedAt > timeoutMs ? slow : reason;
  };
  return createCheck(look, explain);
}

/**
 * Concurrent calls share one look at the database.
 * @param look finds what is wrong
 * @param explain throws an error, if it finds one that explains why `look` finds nothing
 * @returns a function that gives what was found, or why nothing was found within 3 seconds; undefined if nothing is wrong
 */
export function createCheck(
  look: () => Promise<string | undefined>,
  explain: () => Promise<void> = async () => {},
): () => Promise<string | undefined> {
  const getReason = (error: unknown): string =>
    reasons.get((error as { code?: string }).code ?? '') ?? findConnectionProblem(error)?.reason ?? silent;
  let looking: Promise<string | undefined> | undefined;
  let explaining: Promise<void> | undefined;
  /** The reason that is found in time; else what `otherwise` settles to. */
  const explainOr = (otherwise: Promise<string>): Promise<string> => {
    explaining ??= explain().finally(() => (explaining = undefined));
    return Promise.race([explaining.then(() => otherwise, getReason), sleep(explainMs, silent, { ref: false })]);
  };
  const giveUp = async (isLooking: () => boolean): Promise<string> => {
    await sleep(timeoutMs - explainMs, undefined, { ref: false });
    return isLooking() ? explainOr(sleep(explainMs, silent, { ref: false })) : silent;
  };
  return () => {
    looking ??= look()
      .catch((error: unknown) => {
        const reason = getReason(error);
        return reason === silent ? explainOr(Promise.resolve(silent)) : reason;
      })
      .finally(() => (looking = undefined));
    const current = looking;
    return Promise.race([current, giveUp(() => looking === current)]);
  };
}
