import { minus } from '../../format/decimal.ts';
import { orNull, toDecimal } from '../../forms/form-values.ts';
import type { EnumOf } from '../../graphql.ts';

// Treatment of the difference between a payment and the amount due.

export type AdjustmentType = EnumOf<'AdjustmentType'>;

/** How a form holds it: the rest stays open, or is settled. */
export interface Rest {
  type: AdjustmentType | 'OPEN';
  reason: string;
}

export const open: Rest = { type: 'OPEN', reason: '' };

/** The amount due, less a typed amount. Negative if the typed one is larger; undefined while it is no number. */
export const computeRest = (due: string, amount: string): string | undefined => minus(due, toDecimal(amount));

interface Payment {
  amount: string;
  adjustments?: { type: AdjustmentType; amount: string; reason: string | null }[];
}

/** The payment, with what settles the rest. */
export function withRest(due: string, typed: string, { type, reason }: Rest): Payment {
  const amount = toDecimal(typed);
  const rest = computeRest(due, typed);
  if (type === 'OPEN' || rest === undefined || rest === '0') return { amount };
  const isMore = rest.startsWith('-');
  if (isMore !== (type === 'OVERPAYMENT')) return { amount };
  const adjustments = [{ type, amount: isMore ? rest.slice(1) : rest, reason: orNull(reason) }];
  return { amount: isMore ? due : amount, adjustments };
}
