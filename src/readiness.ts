import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, QueryResult } from 'pg';

/** Who asks whether we are ready won't wait longer. */
const timeoutMs = 3000;

// What doesn't fit into so little memory is written to disk, as far as there is room on it.
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
  ['53300', 'The database has no connection left.'],
  ['57014', slow],
]);
const silent = 'The database does not answer.';

/**
 * Tells why requests can't be answered, undefined when they can: the database answers within 3 seconds, and can be
 * written to. However many ask at a time, the database is asked once.
 * @param pending what else there may be to say against it
 */
export function createReadiness(
  pool: Pool,
  pending: () => Promise<string | undefined>,
): () => Promise<string | undefined> {
  const look = async (): Promise<string | undefined> => {
    const begun = performance.now();
    const results = (await pool.query(probe)) as unknown as QueryResult<{ readOnly: boolean }>[];
    if (results[2]?.rows[0]?.readOnly) return 'The database is read-only.';
    const reason = await pending();
    return performance.now() - begun > timeoutMs ? slow : reason;
  };
  const reasonOf = (error: unknown): string => reasons.get((error as { code?: string }).code ?? '') ?? silent;
  let looking: Promise<string | undefined> | undefined;
  return () => {
    looking ??= look()
      .catch(reasonOf)
      .finally(() => (looking = undefined));
    return Promise.race([looking, sleep(timeoutMs, silent, { ref: false })]);
  };
}
