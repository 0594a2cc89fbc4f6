import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isContention, isLockTimeout } from './transaction-retry.ts';

// A statement that waits for a lock holds up everybody who needs a lock of that table after it, even readers. So a migration
// waits for a short time, gives up its locks, lets the others pass, and tries again.

/** In milliseconds. */
export interface LockLimits {
  /**
   * How long a transaction may wait for locks. More than PostgreSQL's deadlock_timeout (1 s), after which an autovacuum gives
   * way to it.
   */
  waitMs: number;
  /** How long it is tried again. */
  totalMs: number;
  /** The first pause between two tries. Each is twice the one before, up to the longest. */
  firstPauseMs: number;
  longestPauseMs: number;
}

export const lockLimits: LockLimits = {
  waitMs: 1500,
  totalMs: 10 * 60_000,
  firstPauseMs: 2000,
  longestPauseMs: 10_000,
};

/** Blocked statements are looked at this often, and reported this often. */
const lookMs = 250;
const reportMs = 30_000;

/** Sessions that hold a lock which the statement of another session waits for. */
const findBlockers = `
  select pid, usename as user, nullif(application_name, '') as program, state,
    extract(epoch from clock_timestamp() - query_start)::float8 as "querySeconds",
    extract(epoch from clock_timestamp() - xact_start)::float8 as "transactionSeconds",
    to_char(query_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "queryStart"
  from (select distinct unnest(pg_blocking_pids($1)) as pid) as blocking left join pg_stat_activity using (pid)
  order by xact_start`;

interface Blocker {
  /** 0 for a prepared transaction. */
  pid: number;
  user: string | null;
  program: string | null;
  state: string | null;
  querySeconds: number | null;
  transactionSeconds: number | null;
  queryStart: string | null;
}

const seconds = (value: number | null): string => (value === null ? '?' : String(Math.round(value)));

function describe({ pid, user, program, state, querySeconds, transactionSeconds, queryStart }: Blocker): string {
  if (pid === 0) return 'a prepared transaction (see pg_prepared_xacts)';
  const who = `process ${pid} (user ${user ?? '?'}${program === null ? '' : `, ${program}`}${state === null ? '' : `, ${state}`})`;
  const since = `its query began at ${queryStart ?? '?'}, ${seconds(querySeconds)} s ago`;
  return `${who}: ${since}, its transaction ${seconds(transactionSeconds)} s ago`;
}

/** Watches what blocks one session, from another connection. */
export class LockWatch {
  readonly limits: LockLimits;
  readonly #pool: Pool;
  readonly #report: (line: string) => void;
  #blockers: Blocker[] = [];
  #reportedAt = -Infinity;

  /**
   * @param pool must have a connection left while the watched session waits
   * @param report receives a line now and then about what is waited for
   */
  constructor(pool: Pool, report: (line: string) => void, limits: LockLimits = lockLimits) {
    this.#pool = pool;
    this.#report = report;
    this.limits = limits;
  }

  /** Runs a statement of the session `pid`, and looks at what blocks it meanwhile. */
  async during<Result>(what: string, pid: number, work: () => Promise<Result>): Promise<Result> {
    const ended = new AbortController();
    const watching = this.#watch(what, pid, ended.signal);
    try {
      return await work();
    } finally {
      ended.abort();
      await watching;
    }
  }

  async #watch(what: string, pid: number, ended: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(lookMs, undefined, { signal: ended }).catch(() => {});
      if (ended.aborted) return;
      const { rows } = await this.#pool.query<Blocker>(findBlockers, [pid]).catch(() => ({ rows: [] }));
      if (rows.length === 0) continue;
      this.#blockers = rows;
      if (performance.now() - this.#reportedAt < reportMs) continue;
      this.#reportedAt = performance.now();
      this.#report(`${what} waits for ${this.blockers}`);
    }
  }

  /** Who blocked the session when it was last blocked. */
  get blockers(): string {
    return this.#blockers.map(describe).join('; ') || 'a lock whose holder was not seen';
  }

  /**
   * Tries `work` until it gets its locks.
   * @param what its name, for reports
   * @param work a whole transaction, whose locks are given back when it fails
   * @throws Error of one line, which names who blocks
   */
  async retry<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const { totalMs, firstPauseMs, longestPauseMs } = this.limits;
    const start = performance.now();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!isLockTimeout(error) && !isContention(error)) throw error;
        const waitedMs = performance.now() - start;
        if (waitedMs + pauseMs > totalMs) throw new Error(this.giveUp(what, waitedMs), { cause: error });
        await sleep(pauseMs * (0.75 + Math.random() / 2));
      }
    }
  }

  giveUp(what: string, waitedMs: number): string {
    return `${what} found no moment without other locks for ${seconds(waitedMs / 1000)} s and changed nothing. It waits for ${this.blockers}. Run migrate again when that has ended`;
  }
}
