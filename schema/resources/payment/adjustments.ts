import type { PaymentKind as PaymentKinds, Row } from '../../../prisma/client.ts';
import { builder } from '../../graphql/builder.ts';
import { count, decimal, requiredText } from '../../graphql/input/validators.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import { Decimal, minorUnit, sum } from '../../money/money.ts';
import { type Problems, refuse } from '../../errors/errors.ts';
import type { Context } from '../../graphql/context.ts';
import { checkDecimals, type Payable, type Settled } from './amount.ts';
import { requireCredit } from './customer-credit.ts';
import { getColumn } from './kinds.ts';
import type { PayableType } from './payables.ts';

// Adjustments that are recorded with a payment, so that nothing is left of an invoice or receipt
// (DECISIONS.md#d147-settlement).

type AdjustmentTypes = Exclude<PaymentKinds, 'PAYMENT' | 'CREDIT_REFUND'>;

/** The payables that each type may settle. */
const settles: Record<AdjustmentTypes, readonly PayableType[]> = {
  CASH_DISCOUNT: ['INVOICE', 'RECEIPT'],
  WRITE_OFF: ['INVOICE', 'RECEIPT'],
  ROUNDING: ['INVOICE', 'RECEIPT'],
  FEE: ['INVOICE'],
  CREDIT: ['INVOICE'],
  OVERPAYMENT: ['INVOICE'],
};

const AdjustmentType = builder.enumType('AdjustmentType', {
  description: 'What a payment is recorded with.',
  values: {
    CASH_DISCOUNT: {
      description:
        'A deduction for early payment. It lowers the taxable amount of each VAT rate on the day of payment.',
    },
    FEE: { description: 'What a bank kept of the money, of an invoice: an expense.' },
    WRITE_OFF: { description: 'The part that nobody will pay. Needs a reason; VAT stays as it is.' },
    ROUNDING: { description: 'A difference of at most 100 minor units. VAT stays as it is.' },
    CREDIT: { description: "Money of the customer's credit, of an invoice." },
    OVERPAYMENT: {
      description: "Money beyond the amount due of an invoice: it goes to the customer's credit.",
    },
  } satisfies Record<AdjustmentTypes, object>,
});

export const AdjustmentInput = builder.inputType('AdjustmentInput', {
  description: 'What a payment is recorded with, so that nothing is left.',
  fields: (t) => ({
    type: t.field({ type: AdjustmentType, required: true, description: 'What it is.' }),
    amount: t.field({
      type: 'Decimal',
      required: true,
      description: 'In the currency of the invoice or receipt. More than zero.',
      validate: decimal({}),
    }),
    reason: t.string({ description: 'Why. A write-off needs one.', validate: requiredText(500) }),
  }),
});

/** Each type once. */
export const validateAdjustments = count(1, Object.keys(settles).length, 'adjustments');

export const adjustmentsDescription =
  'Each type once. Undone with the payment. `overpayment` adds to the payment, the others settle the rest.';

export type Adjustment = typeof AdjustmentInput.$inferInput;

/** The rules of adjustments that nothing stored is needed for. */
export function adjustmentRules(
  adjustments: Readable<Adjustment[]> | null | undefined,
  problems: Problems,
  path = 'adjustments',
): void {
  const seen = new Set<string>();
  for (const [index, { type, amount, reason } = {}] of (adjustments ?? []).entries()) {
    const at = `${path}.${index}`;
    if (type && seen.has(type)) problems.add(`${at}.type`, 'duplicate', 'An earlier adjustment has the same type.');
    if (type) seen.add(type);
    if (amount && !amount.greaterThan(0))
      problems.add(`${at}.amount`, 'wrong_sign', 'Must be more than zero.', { expected: 'positive' });
    if (type === 'WRITE_OFF' && !reason && !problems.has(`${at}.reason`))
      problems.add(`${at}.reason`, 'required', 'A write-off must have a reason.');
  }
}

/** Adjustments that are allowed. */
export interface Adjusted extends Settled {
  /** The amount that goes to the customer's credit. */
  overpaid: Decimal;
  rows: Pick<Row<'Payment'>, 'kind' | 'amount' | 'reason' | 'customerId'>[];
  /** Refuses more of the customer's credit than there is. Runs when the rows are written. */
  requireCredit: (context: Context) => Promise<void>;
}

/**
 * The adjustments of a payment of a locked invoice or receipt.
 * @param mayRead whether the caller may know what is due
 * @throws ValidationError at `path`
 */
export function planAdjustments(
  type: PayableType,
  { due, currency, partnerId, isCredit }: Payable,
  adjustments: Adjustment[] | null | undefined,
  { path = 'adjustments', mayRead = true }: { path?: string; mayRead?: boolean } = {},
): Adjusted {
  const zero = new Decimal(0);
  const planned: Adjusted = { paid: zero, adjusted: zero, overpaid: zero, rows: [], requireCredit: async () => {} };
  for (const [index, { type: kind, amount, reason }] of (adjustments ?? []).entries()) {
    const at = `${path}.${index}`;
    if (isCredit) refuse(`${at}.type`, 'inconsistent', "A supplier's credit has no adjustments.");
    if (!settles[kind].includes(type))
      refuse(
        `${at}.type`,
        'inconsistent',
        `Only ${settles[kind].length > 1 ? 'an invoice or receipt' : 'an invoice'} can have this.`,
      );
    checkDecimals(amount, currency, `${at}.amount`);
    const most = minorUnit(currency).times(100);
    if (kind === 'ROUNDING' && amount.greaterThan(most))
      refuse(`${at}.amount`, 'out_of_range', `Must be at most ${most.toFixed()}.`, { max: most.toNumber() });
    const column = getColumn(kind);
    const left = due.minus(planned.paid).minus(planned.adjusted);
    if (column && amount.greaterThan(left)) refuseMore(`${at}.amount`, left, currency, mayRead);
    if (column) planned[column] = planned[column].plus(amount);
    else planned.overpaid = planned.overpaid.plus(amount);
    const customerId = kind === 'CREDIT' || kind === 'OVERPAYMENT' ? partnerId : null;
    planned.rows.push({ kind, amount, reason: reason ?? null, customerId });
    if (kind === 'CREDIT' && partnerId)
      planned.requireCredit = (context) =>
        requireCredit(context, partnerId, currency, { used: amount, path: `${at}.amount` });
  }
  return planned;
}

/** Only money beyond the amount due goes to the credit. @param amount the payment */
export function requireNothingDue(
  { due }: Payable,
  { paid, adjusted, overpaid }: Adjusted,
  amount: Decimal,
  path = 'adjustments',
): void {
  if (!overpaid.isZero() && !sum([amount, paid, adjusted]).equals(due))
    refuse(path, 'inconsistent', 'Only what is more than the amount due is an overpayment.');
}

export function refuseMore(path: string, left: Decimal, currency: string, mayRead: boolean): never {
  if (mayRead)
    refuse(path, 'exceeds_left', `Must not be more than the ${left.toFixed()} ${currency} due.`, {
      left: left.toFixed(),
    });
  refuse(path, 'exceeds_left', 'Must not be more than what is due.', {});
}
