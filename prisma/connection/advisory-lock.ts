import { setTimeout } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';

type Session = Pick<ClientBase | Pool, 'query'>;

const pollMs = 100;

/** A wait is reported once it takes this long, and then this often. */
const firstReportMs = 1000;
const reportMs = 30_000;
/** How often it is asked whether the lock is needed still. */
const askMs = 1000;

export interface LockOptions {
  /** How the lock is taken: for this session alone, or together with others who share it. */
  mode?: '' | '_shared';
  /** Receives who has the lock, when the wait takes longer. */
  onWait?: (holders: string) => void;
  /** Whether it is needed still: who had the lock may have done the work. */
  isNeeded?: () => Promise<boolean>;
}

/**
 * Takes an advisory lock for the session, as soon as no other session has it. It asks again and again: a statement that waits
 * for the lock would keep a snapshot, which the holder's `create index concurrently` waits for in turn.
 *
 * @param session a client, or a pool that has one connection
 * @returns false if it was not taken, because it is not needed any more
 */
export async function takeAdvisoryLock(
  session: Session,
  key: number,
  { mode = '', onWait, isNeeded }: LockOptions = {},
): Promise<boolean> {
  let reportAt = performance.now() + firstReportMs;
  let askAt = performance.now() + askMs;
  for (;;) {
    const { rows } = await session.query<{ taken: boolean }>(`select pg_try_advisory_lock${mode}(${key}) as taken`);
    if (rows[0]?.taken) return true;
    if (isNeeded && performance.now() >= askAt) {
      if (!(await isNeeded())) return false;
      askAt = performance.now() + askMs;
    }
    if (onWait && performance.now() >= reportAt) {
      const holders = await describeHolders(session, key);
      if (holders !== '') onWait(holders);
      reportAt += reportMs;
    }
    await setTimeout(pollMs);
  }
}

/** @returns '' if the lock is free by now */
async function describeHolders(session: Session, key: number): Promise<string> {
  const { rows } = await session.query<{ holder: string }>(
    `select format('process %s (%s)', pid,
       concat_ws(', ', 'user ' || usename, nullif(application_name, ''), state)) as holder
     from pg_locks left join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) | objid::bigint = $1
       and pg_locks.database = (select oid from pg_database where datname = current_database())
     order by backend_start`,
    [key],
  );
  return rows.map(({ holder }) => holder).join('; ');
}
