import { Decimal } from '../../money/money.ts';

/** A decimal of ours, or of a row. */
type Written = Pick<Decimal, 'toFixed'>;

/** The fields of a receipt that its balance depends on. */
interface Balanced {
  amountGross: Written;
  amountPrepaid: Written;
  amountPaid: Written;
  amountAdjusted: Written;
}

/** The amount still to be paid of a receipt, or to come back of a supplier's credit, whose amounts are negative. */
export const computeDue = ({ amountGross, amountPrepaid, amountPaid, amountAdjusted }: Balanced): Decimal =>
  new Decimal(amountGross.toFixed())
    .minus(amountPrepaid.toFixed())
    .minus(amountPaid.toFixed())
    .abs()
    .minus(amountAdjusted.toFixed());

/**
 * The money that a transaction which pays the rest moves, over the columns of a receipt: it is negative, and positive for a supplier's
 * credit, which has no adjustments.
 */
export const toMoveSql = 'amount_paid + amount_adjusted - amount_payable';
