import type { Pool } from 'pg';

// One time for all processes: the database's. The clock of a process's machine may be wrong, or be set while it runs: deliveries
// would be planned for another time, and events would be older than the webhooks that they are for.

/** How often the database is asked. */
const everyMs = 30_000;
/** By how much this machine's clock may move against the process's own count of time until the database is asked again. */
const driftMs = 1000;
/** An answer that took longer says too little. */
const longestMs = 1000;

/** The milliseconds to add to performance.now() for the database's time, and for this machine's, as last compared. */
interface Comparison {
  database: number;
  machine: number;
}

let last: Comparison | undefined;
let compare: (() => void) | undefined;

/** The database's time, as far as it is known; else this machine's. */
export function currentTime(): Date {
  if (last === undefined) return new Date();
  const elapsed = performance.now();
  // The clock was set, or the machine was asleep, which doesn't count as elapsed.
  if (Math.abs(Date.now() - elapsed - last.machine) > driftMs) compare?.();
  return new Date(Math.round(last.database + elapsed));
}

/**
 * Has currentTime() follow the database's clock.
 * @returns once it was compared, or could not be: a function that ends it
 */
export async function followDatabaseClock(pool: Pick<Pool, 'query'>): Promise<() => void> {
  let comparing: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    const sent = performance.now();
    const { rows } = await pool.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
    const received = performance.now();
    if (received - sent > longestMs) return;
    const middle = (sent + received) / 2;
    last = { database: Number(rows[0]?.ms) - middle, machine: Date.now() - performance.now() };
  };
  const askAlone = (): Promise<void> =>
    // A database that is away says later.
    (comparing ??= ask()
      .catch(() => {})
      .finally(() => (comparing = undefined)));
  compare = () => void askAlone();
  await askAlone();
  const timer = setInterval(compare, everyMs).unref();
  return () => {
    clearInterval(timer);
    [compare, last] = [undefined, undefined];
  };
}
