import { today } from '../../format/format.ts';

const formatDay = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** The first and the last day of the month before this one, which is the one to declare. */
export function lastMonth(): { from: string; to: string } {
  const [year = 0, month = 1] = today().split('-').map(Number);
  return { from: formatDay(year, month - 2, 1), to: formatDay(year, month - 1, 0) };
}
