import type { Period } from './e-invoice/model.ts';

/** The service period of a line. Days are YYYY-MM-DD. */
interface PeriodOfLine {
  servicePeriodStart: string | null;
  servicePeriodEnd: string | null;
}

/** A period of which one day is given is that day. */
export function getPeriod({ servicePeriodStart: start, servicePeriodEnd: end }: PeriodOfLine): Period | undefined {
  const [first, last] = [start ?? end, end ?? start];
  return first !== null && last !== null ? { start: first, end: last } : undefined;
}

/** From the first to the last day of the lines' periods; undefined where no line has one. */
export function wholePeriod(lines: PeriodOfLine[]): Period | undefined {
  const periods = lines.flatMap((line) => getPeriod(line) ?? []);
  const [start] = periods.map((period) => period.start).toSorted();
  const end = periods
    .map((period) => period.end)
    .toSorted()
    .at(-1);
  return start !== undefined && end !== undefined ? { start, end } : undefined;
}
