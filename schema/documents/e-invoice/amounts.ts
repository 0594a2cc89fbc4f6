import { minorDigits, type Decimal } from '../../money/money.ts';

/** A number without an exponent, and without a sign if it is zero. */
export const numberText = (number: Decimal): string => number.plus(0).toFixed();

/** An amount with all minor digits of its currency. */
export const amountText = (amount: Decimal, currency: string): string => amount.plus(0).toFixed(minorDigits(currency));
