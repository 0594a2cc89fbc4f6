import { builder } from '../builder.ts';
import { decimal } from '../input/validators.ts';
import type { Decimal } from '../../money/money.ts';

/** The argument of lists that finds rows by their amount. An index that lists are ordered by serves it. */
export const amountArgument = builder.args((t) => ({
  amount: t.field({
    type: 'Decimal',
    description: 'Only rows of exactly this gross amount, in any currency. Its sign does not matter.',
    validate: decimal({}),
  }),
}));

/** The filter of that argument on a column. */
export const byAmount =
  <Name extends string>(column: Name) =>
  (amount: Decimal) =>
    ({ [column]: { in: [amount, amount.negated()] } }) as { [name in Name]: { in: Decimal[] } };
