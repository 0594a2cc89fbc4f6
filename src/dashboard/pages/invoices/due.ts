import { getKeys } from '../../list/list-state.ts';
import { lastDay, today } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';

type Days = { gte: string; lte?: string } | { in: string[] };

const addDays = (day: string, count: number): string => {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
};

const latest = (...days: string[]): string => days.toSorted().at(-1) ?? '';

export const duePeriods = {
  THIS_WEEK: t('Due this week'),
  NEXT_WEEK: t('Due next week'),
  THIS_MONTH: t('Due later this month'),
  LATER: t('Due later'),
};

export type DuePeriod = keyof typeof duePeriods;

export const allDuePeriods = getKeys(duePeriods);

/** The days of the periods, from today on. Each day is in one. Weeks begin on Monday. */
export function getDueDays(day = today()): Record<DuePeriod, Days> {
  const sunday = addDays(day, (7 - new Date(day).getUTCDay()) % 7);
  const nextSunday = addDays(sunday, 7);
  const monthEnd = latest(lastDay(day.slice(0, 7)), nextSunday);
  return {
    THIS_WEEK: { gte: day, lte: sunday },
    NEXT_WEEK: { gte: addDays(sunday, 1), lte: nextSunday },
    // The server refuses a period that ends before it begins.
    THIS_MONTH: monthEnd === nextSunday ? { in: [] } : { gte: addDays(nextSunday, 1), lte: monthEnd },
    LATER: { gte: addDays(monthEnd, 1) },
  };
}
