import type { Rules } from '../plugins/authorization-and-validation.ts';
import { given } from '../input/validators.ts';

interface Period {
  from?: Date | null;
  to?: Date | null;
}

/** Days from the first to the last, both included; either may be open. */
export const within = ({ from, to }: Period): { gte?: Date; lte?: Date } => ({ gte: given(from), lte: given(to) });

/** A period that has no day is a mistake. */
export const periodRules: Rules<Period> = ({ from, to }, _context, problems) => {
  if (!from || !to || from <= to) return;
  problems.add('from', 'Must not be after to.');
  problems.add('to', 'Must not be before from.');
};
