import { Decimal } from '../../money/money.ts';
import { type Problems, found } from '../../errors/errors.ts';
import { today, type Context } from '../../graphql/context.ts';
import { requireNewExternalId } from '../../graphql/input/external-id.ts';
import { decimalsRules } from './amount.ts';

/**
 * A payment's amount.
 * @param settled the invoice or receipt. Its state and its currency are checked under its lock: see computePaid()
 * @param isAdjusted whether there are adjustments: without money, too
 */
export function amountRules(
  amount: Decimal | null | undefined,
  settled: () => PromiseLike<{ currency: string } | null>,
  problems: Problems,
  isAdjusted = false,
): void {
  if (amount && !(amount.greaterThan(0) || (isAdjusted && amount.isZero())))
    problems.add('amount', 'wrong_sign', 'Must be more than zero.', { expected: 'positive' });
  problems.defer(async () => {
    const { currency } = await found(settled());
    if (amount) decimalsRules(amount, currency, problems);
  });
}

/** The day of a payment: nobody has paid tomorrow. */
export function paidOnRules(paidOn: Date | null | undefined, context: Context, problems: Problems): void {
  if (paidOn && paidOn > today(context))
    problems.add('paidOn', 'in_the_future', "Must not be after today, in the tenant's time zone.");
}

/** No other payment has the external id of a new one. @param at its path */
export function externalIdRules(
  externalId: string | null | undefined,
  context: Context,
  problems: Problems,
  at = 'externalId',
): void {
  if (externalId != null) requireNewExternalId(context, problems, 'Payment', externalId, { at });
}
