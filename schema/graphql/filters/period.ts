import type { Rules } from '../plugins/authorization-and-validation.ts';

interface Period {
  from?: Date | null;
  to?: Date | null;
}

/** The filters `from` and `to` on a column of days: from the first to the last, both included. */
export const byPeriod = <Name extends string>(column: Name) => ({
  from: (from: Date) => ({ [column]: { gte: from } }) as { [name in Name]: { gte: Date } },
  to: (to: Date) => ({ [column]: { lte: to } }) as { [name in Name]: { lte: Date } },
});

/** A period that has no day is a mistake. */
export const periodRules: Rules<Period> = ({ from, to }, _context, problems) => {
  if (!from || !to || from <= to) return;
  problems.add('from', 'wrong_order', 'Must not be after to.');
  problems.add('to', 'wrong_order', 'Must not be before from.');
};
periodRules.concerns = ['from', 'to'];
