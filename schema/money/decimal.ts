import { Decimal as BaseDecimal } from 'decimal.js';

// Apart from money.ts, because the thread that reads statements needs nothing else of it and starts faster.

/**
 * Decimals wide enough that no product of two accepted numbers is cut before it is rounded on purpose.
 * ROUND_HALF_UP is decimal.js's name for half away from zero.
 */
export const Decimal = BaseDecimal.clone({ precision: 60, rounding: BaseDecimal.ROUND_HALF_UP });
export type Decimal = BaseDecimal;

/** No amount has more significant digits (DECISIONS.md#d10-bounds). */
export const maxDigits = 15;

/** Whether the number's digits, those of a whole part's trailing zeros included, are few enough to be kept exactly. */
export const fits = (amount: Decimal): boolean => amount.precision(true) <= maxDigits;
