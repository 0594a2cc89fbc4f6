import { Decimal } from '../../money/money.ts';
import { type Problems, found } from '../../errors.ts';
import { decimalsRules } from './amount.ts';

/**
 * A payment's amount.
 * @param settled the invoice or receipt. Its state and its currency are checked under its lock: see computePaid()
 */
export function amountRules(
  amount: Decimal | null | undefined,
  settled: () => PromiseLike<{ currency: string } | null>,
  problems: Problems,
): void {
  if (amount && !amount.greaterThan(0))
    problems.add('amount', 'wrong_sign', 'Must be more than zero.', { expected: 'positive' });
  problems.defer(async () => {
    const { currency } = await found(settled());
    if (amount) decimalsRules(amount, currency, problems);
  });
}
