import { Decimal } from 'decimal.js';

// More digits than any sum of the books has, so that nothing is rounded.
const Exact = Decimal.clone({ precision: 60 });

const areNumbers = (...values: string[]): boolean => values.every((value) => /^-?\d+(\.\d+)?$/.test(value));

/** Adds decimals. */
export const sum = (amounts: readonly string[]): string =>
  amounts.reduce((total, amount) => total.plus(amount), new Exact(0)).toFixed();

/** Subtracts decimals. @returns undefined if one of them is not a number yet, as while it is typed */
export function minus(amount: string, ...subtrahends: string[]): string | undefined {
  if (!areNumbers(amount, ...subtrahends)) return undefined;
  return subtrahends.reduce((difference, value) => difference.minus(value), new Exact(amount)).toFixed();
}

/** Divides decimals, and rounds to so many decimals. @returns undefined if one of them is not a number yet, or the divisor is 0 */
export function divide(amount: string, divisor: string, decimals: number): string | undefined {
  if (!areNumbers(amount, divisor) || new Exact(divisor).isZero()) return undefined;
  return new Exact(amount).dividedBy(divisor).toDecimalPlaces(decimals).toFixed();
}
