import { Decimal } from '../../money/money.ts';

/** A decimal of ours, or of a row. */
type Written = Pick<Decimal, 'toFixed'>;

/** The fields of an invoice that its balance depends on. */
export interface Balanced {
  totalGross: Written;
  amountCredited: Written;
  amountPaid: Written;
  amountAdjusted: Written;
  amountRefunded: Written;
}

/** The fields that a query selects to know the balance. */
export const balanceFields = {
  totalGross: true,
  amountCredited: true,
  amountPaid: true,
  amountAdjusted: true,
  amountRefunded: true,
} as const satisfies Record<keyof Balanced, true>;

/**
 * The amount to be paid of an invoice, or to be refunded where it is negative. An issued invoice with a balance of zero
 * or less is paid.
 */
export const computeBalance = ({
  totalGross,
  amountCredited,
  amountPaid,
  amountAdjusted,
  amountRefunded,
}: Balanced): Decimal =>
  new Decimal(totalGross.toFixed())
    .minus(amountCredited.toFixed())
    .minus(amountPaid.toFixed())
    .minus(amountAdjusted.toFixed())
    .plus(amountRefunded.toFixed());

/** The same in SQL, over the columns of an invoice. */
export const balanceSql = 'total_gross - amount_credited - amount_paid - amount_adjusted + amount_refunded';

/** The amount that the customer has still to pay. */
export const computeAmountDue = (invoice: Balanced & { status: string }): Decimal =>
  invoice.status === 'CANCELLED' ? new Decimal(0) : Decimal.max(computeBalance(invoice), 0);

/** The part of the credited amount that was paid, and is not refunded yet. */
export const computeAmountToRefund = (invoice: Balanced): Decimal =>
  Decimal.max(new Decimal(0).minus(computeBalance(invoice)), 0);

/** The amount still to be refunded of one of the invoice's credit notes. */
export const computeRefundDue = (
  { totalGross, amountRefunded }: Pick<Balanced, 'totalGross' | 'amountRefunded'>,
  invoice: Balanced,
): Decimal =>
  Decimal.min(new Decimal(totalGross.toFixed()).minus(amountRefunded.toFixed()), computeAmountToRefund(invoice));

/** Whether an invoice was paid in full when it was issued. */
export const wasPaidWhenIssued = ({ issuedAt, paidAt }: { issuedAt: Date | null; paidAt: Date | null }): boolean =>
  issuedAt !== null && paidAt !== null && paidAt <= issuedAt;
