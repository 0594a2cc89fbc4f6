import { Decimal } from 'decimal.js';

// As many digits as any sum of the books has: nothing is rounded here.
const Exact = Decimal.clone({ precision: 60 });

/** What is left of a decimal; undefined while one of them isn't whole. */
export function minus(amount: string, ...less: string[]): string | undefined {
  if (![amount, ...less].every((value) => /^-?\d+(\.\d+)?$/.test(value))) return undefined;
  return less.reduce((left, value) => left.minus(value), new Exact(amount)).toFixed();
}
