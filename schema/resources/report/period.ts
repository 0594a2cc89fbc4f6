import type { QueryFields } from '../../graphql/builder.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import type { Problems } from '../../errors/errors.ts';

// The period of a report.

/** The longest period of a report, in days. */
export const maxDays = 366;

/** The most rows of a report. */
export const maxRows = 1000;

export interface Period {
  from: Date;
  to: Date;
}

const dayMs = 86_400_000;

/** Adds what is wrong with a period. Days that are no days are reported elsewhere, and are missing here. */
export function checkPeriod({ from, to }: Partial<Period>, problems: Problems): void {
  if (!from || !to) return;
  if (from > to) problems.add('to', 'wrong_order', 'Must not be before the first day.');
  const last = new Date(from.getTime() + (maxDays - 1) * dayMs);
  if (to > last)
    problems.add('to', 'day_out_of_range', `Must be at most ${maxDays} days after the first day.`, {
      min: formatDay(from),
      max: formatDay(last),
    });
}

export const periodArgs = (t: QueryFields) => ({
  from: t.arg({ type: 'Date', required: true, description: 'The first day.' }),
  to: t.arg({ type: 'Date', required: true, description: `The last day, at most ${maxDays} days later.` }),
});

/** The days as parameters of the statements (vat-shares.ts). */
export const inTexts = ({ from, to }: Period): string[] => [formatDay(from), formatDay(to)];
