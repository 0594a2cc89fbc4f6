import { today } from '../../format/format.ts';
import type { Invoice } from './fields.ts';

const day = 86_400_000;

/**
 * The days since an overdue invoice was due; 0 of others. The service says which are overdue: where its day has already
 * begun, the reader's may be the day before.
 */
export const getDaysLate = (
  { isOverdue, dueDate }: Pick<Invoice, 'isOverdue' | 'dueDate'>,
  on: string = today(),
): number => (isOverdue ? Math.max(1, (Date.parse(on) - Date.parse(dueDate)) / day) : 0);
