import { Decimal, minorDigits } from '../../money/money.ts';
import { Problems, refuse } from '../../errors.ts';
import type { Step } from '../../rows/transition.ts';

// The amount of a payment of an invoice or receipt, or of a refund of a credit note.

/** An invoice or receipt to pay, or a credit note to refund. Its row is locked. */
export interface Payable {
  id: string;
  /** What is still to be paid, or refunded. */
  due: Decimal;
  /** What is paid, or refunded, already. */
  paid: Decimal;
  currency: string;
  /** A supplier's credit: it and its payments have negative amounts, and money received pays it. */
  isCredit?: boolean;
}

/** An amount that is paid, with the sign of what it pays. */
export const toSigned = (amount: Decimal, { isCredit }: Pick<Payable, 'isCredit'>): Decimal =>
  isCredit ? amount.negated() : amount;

/** The amount of a payment. */
export interface Paid {
  amount: Decimal;
  currency: string;
}

/** A payment has at most the minor digits of its currency. */
export function decimalsRules(amount: Decimal, currency: string, problems: Problems): void {
  const digits = minorDigits(currency);
  if (amount.decimalPlaces() > digits)
    problems.add('amount', 'too_many_decimals', `Must not have more than ${digits} decimals in this currency.`, {
      max: digits,
    });
}

/**
 * The amount of a payment: `amount`, or by default the due amount.
 * @throws ValidationError where it is too precise for the currency, or too much
 */
export function computePaid({ due, currency }: Payable, amount?: Decimal | null): Paid {
  const paid = amount ?? due;
  const problems = new Problems();
  decimalsRules(paid, currency, problems);
  problems.throwIfAny();
  if (paid.greaterThan(due))
    refuse('amount', 'exceeds_left', `Must not be more than the ${due.toFixed()} ${currency} due.`, {
      left: due.toFixed(),
    });
  return { amount: paid, currency };
}

/** The changes to an invoice or receipt of which nothing is due any more. */
export const settled = (paidAt: Date) => ({ status: 'PAID', paidAt }) as const;

/** Counts a valid amount towards an invoice or receipt. If nothing is due then, it is paid; of zero, there is no payment. */
export function paymentStep(
  resource: 'invoice' | 'receipt',
  { due, paid, isCredit }: Pick<Payable, 'due' | 'paid' | 'isCredit'>,
  amount: Decimal,
  now: Date,
): Step<'Invoice'> & Step<'Receipt'> {
  const isAll = amount.equals(due);
  return {
    changes: { amountPaid: toSigned(paid.plus(amount), { isCredit }), ...(isAll && settled(now)) },
    events: [
      ...(amount.isZero() ? [] : [`${resource}.payment_recorded` as const]),
      ...(isAll ? [`${resource}.paid` as const] : []),
    ],
  };
}
