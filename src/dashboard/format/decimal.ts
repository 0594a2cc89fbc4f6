import { Decimal } from 'decimal.js';

// More digits than any sum of the books has, so that nothing is rounded.
const Exact = Decimal.clone({ precision: 60 });

/** Subtracts decimals. @returns undefined if one of them is not a number yet, as while it is typed */
export function minus(amount: string, ...subtrahends: string[]): string | undefined {
  if (![amount, ...subtrahends].every((value) => /^-?\d+(\.\d+)?$/.test(value))) return undefined;
  return subtrahends.reduce((difference, value) => difference.minus(value), new Exact(amount)).toFixed();
}
