import type { Rules } from '../plugins/authorization-and-validation.ts';

interface Period {
  from?: Date | null;
  to?: Date | null;
}

/** A period that has no time is a mistake. */
export const periodRules: Rules<Period> = ({ from, to }, _context, problems) => {
  if (!from || !to || from <= to) return;
  problems.add('from', 'wrong_order', 'Must not be after to.');
  problems.add('to', 'wrong_order', 'Must not be before from.');
};
periodRules.concerns = ['from', 'to'];
