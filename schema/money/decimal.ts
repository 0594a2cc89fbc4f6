import { Decimal as BaseDecimal } from 'decimal.js';

// Separate from money.ts, because the parser thread needs nothing else from there, and starts faster.

/**
 * Decimals with enough digits for the exact product of two accepted numbers, before it is rounded explicitly. ROUND_HALF_UP
 * is the name in decimal.js for half away from zero.
 */
export const Decimal = BaseDecimal.clone({ precision: 60, rounding: BaseDecimal.ROUND_HALF_UP });
export type Decimal = BaseDecimal;

/** No amount has more significant digits (DECISIONS.md#d10-bounds). */
export const maxDigits = 15;

/** Whether a number has at most `maxDigits` digits, including trailing zeros of its integer part. */
export const fits = (amount: Decimal): boolean => amount.precision(true) <= maxDigits;
