import { Decimal, isCurrency, minorDigits } from '../../money/money.ts';
import { Problems, refuse } from '../../errors/errors.ts';
import type { Step } from '../../rows/transition.ts';

// The amount of a payment of an invoice or receipt, or of a refund of a credit note.

/** How much is settled. */
export interface Settled {
  /** The amount that is paid, or refunded. */
  paid: Decimal;
  /** The amount that is settled without money. */
  adjusted: Decimal;
}

/** An invoice or receipt to pay, a credit note to refund, or a customer's credit. Its row is locked. */
export interface Payable extends Settled {
  id: string;
  /** The amount still to be paid, or refunded. */
  due: Decimal;
  currency: string;
  /** The customer or supplier; null if unknown. */
  partnerId: string | null;
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

/** @throws ValidationError at `path` where an amount is too precise for its currency */
export const checkDecimals = (amount: Decimal, currency: string, path: string): void =>
  checkDigits(amount, minorDigits(currency), path);

/** The decimals that bank transactions, and what payments move on them, are kept with. */
const bankDecimals = 5;

/**
 * The same for an amount on a bank account. A bank may send a currency that is none of ISO 4217, of which nobody knows the minor digits.
 * @throws ValidationError at `path`
 */
export const checkBankDecimals = (amount: Decimal, currency: string, path: string): void =>
  checkDigits(amount, isCurrency(currency) ? minorDigits(currency) : bankDecimals, path);

function checkDigits(amount: Decimal, digits: number, path: string): void {
  if (amount.decimalPlaces() > digits)
    refuse(path, 'too_many_decimals', `Must not have more than ${digits} decimals in this currency.`, { max: digits });
}

/**
 * The amount of a payment: `amount`, or by default the due amount.
 * @throws ValidationError where it is too precise for the currency, or too much
 */
export function computePaid({ due, currency }: Pick<Payable, 'due' | 'currency'>, amount?: Decimal | null): Paid {
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

/** Counts valid amounts towards an invoice or receipt. If nothing is due then, it is paid; of zero, there is no payment. */
export function paymentStep(
  resource: 'invoice' | 'receipt',
  { due, paid, adjusted, isCredit }: Settled & Pick<Payable, 'due' | 'isCredit'>,
  more: Settled,
  now: Date,
): Step<'Invoice'> & Step<'Receipt'> {
  const amount = more.paid.plus(more.adjusted);
  const isAll = amount.equals(due);
  return {
    changes: {
      amountPaid: toSigned(paid.plus(more.paid), { isCredit }),
      ...(!more.adjusted.isZero() && { amountAdjusted: adjusted.plus(more.adjusted) }),
      ...(isAll && settled(now)),
    },
    events: [
      ...(amount.isZero() ? [] : [`${resource}.payment_recorded` as const]),
      ...(isAll ? [`${resource}.paid` as const] : []),
    ],
  };
}
