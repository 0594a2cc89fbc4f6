import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal, fits } from '../../schema/money/money.ts';
import { parseBody } from '../../src/sdk/client/response.ts';

/** A decimal of the books, as REST writes it. */
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }), fc.integer({ min: 0, max: 5 }))
  .map(([digits, scale]) => new Decimal(digits.toString()).dividedBy(10 ** scale))
  .filter(fits)
  .map((value) => value.toFixed());

it('a decimal of the books survives the SDK: the number has exactly its digits', () => {
  fc.assert(
    fc.property(decimal, (text) => {
      expect(parseBody(`{"amount":${text}}`)).toSatisfy(({ amount }: { amount: number }) => String(amount) === text);
    }),
    { numRuns: 2000 },
  );
});
