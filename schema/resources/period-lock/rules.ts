import type { PeriodLockSeries, Row } from '../../../prisma/client.ts';
import { refuse, type Problem } from '../../errors/errors.ts';
import { today, type Context } from '../../graphql/context.ts';
import { formatDay } from '../../graphql/scalars/scalars.ts';

// Period locks: what would change a booking day on or before a lock's day is refused (DECISIONS.md#d139-period-locks).

/** The advisory lock that bookings share, and that whoever sets a period lock has alone. */
export const lockOfPeriods = 'period locks';

/** A series of bookings. `ALL` is that of a lock which closes each of them. */
export type BookingSeries = Exclude<PeriodLockSeries, 'ALL'>;

/** Why a day can't be booked in a series; undefined if it can. */
export type FindLocked = (series: BookingSeries, day: Date) => Problem | undefined;

/**
 * Reads the period locks, and keeps them as they are until the transaction ends. Two statements: a statement that waits reads
 * what was committed before it waited.
 */
export async function holdPeriodLocks({ db }: Context): Promise<FindLocked> {
  await db.waitForAdvisoryLock(lockOfPeriods, '_shared');
  const locks = await db.$lookup<Lock>(latestFirst, [], ['PeriodLock']);
  return (series, day) => {
    const date = formatDay(day);
    const lock = locks.find((each) => (each.series === series || each.series === 'ALL') && date <= each.lockedUntil);
    return lock && describe(lock, date);
  };
}

/** A period lock. Its day is YYYY-MM-DD. */
interface Lock extends Pick<Row<'PeriodLock'>, 'series' | 'kind'> {
  lockedUntil: string;
}

const latestFirst = `
  select upper(series::text) as series, locked_until::text as "lockedUntil", upper(kind::text) as kind
  from period_locks where tenant_id = $1 order by locked_until desc, kind = 'final' desc`;

const wayOut = {
  SOFT: 'Choose a later day, or move the lock back.',
  FINAL: 'The lock is final: choose a later day.',
};

const describe = ({ series, lockedUntil, kind }: Lock, date: string): Problem => [
  'locked',
  `${date} is locked: bookings until ${lockedUntil} can not change. ${wayOut[kind]}`,
  { series: series.toLowerCase(), locked_until: lockedUntil, kind: kind.toLowerCase() },
];

/**
 * Refuses a booking on a locked day. Inside the transaction that books, whose end the setting of a lock then waits for.
 * @throws ValidationError at `path`
 */
export async function refuseLocked(
  context: Context,
  series: BookingSeries | readonly BookingSeries[],
  days: Date | readonly Date[],
  path: string,
): Promise<void> {
  const findLocked = await holdPeriodLocks(context);
  for (const day of [days].flat())
    for (const each of [series].flat()) {
      const problem = findLocked(each, day);
      if (problem) refuse(path, ...problem);
    }
}

/**
 * The day on which something of this day is undone: that day if it can still be booked, or else today.
 * @throws ValidationError at `path` if today is locked, too
 */
export async function chooseOpenDay(
  context: Context,
  series: readonly BookingSeries[],
  day: Date,
  path: string,
): Promise<Date> {
  const findLocked = await holdPeriodLocks(context);
  if (!series.some((each) => findLocked(each, day))) return day;
  await refuseLocked(context, series, today(context), path);
  return today(context);
}

/** The last day that a lock of these series closes, as an expression of SQL for the tenant $1; before all days where there is none. */
export const lastLockedSql = (series: readonly BookingSeries[]): string => `coalesce((
  select max(locked_until) from period_locks
  where tenant_id = $1 and series in (${[...series, 'ALL'].map((each) => `'${each.toLowerCase()}'`).join(', ')})
), '-infinity')`;
