import { decimalText } from '../format/decimal-text.ts';
import { minorDigits } from '../format/format.ts';
import { locale } from '../format/locale.ts';

/** Converts between text in forms and the API's values. */

const text = decimalText(locale);

/** How a number with a fraction is typed here: `1,234.56`. */
export const numberExample = text.format('1234.56');

/** A decimal as a form begins with it: `1234.5` is `1.234,5` in German. */
export const typedDecimal = (value: string): string => text.format(value, fractionOf(value));

/** An amount as a form begins with it: with its currency's minor digits at least, `59,50`. */
export const typedAmount = (value: string, currency: string): string =>
  text.format(value, Math.max(minorDigits(currency), fractionOf(value)));

/**
 * What a person typed for a decimal, as the API wants it; '' for nothing. What is no number, or has two readings, stays
 * no number, so that the server refuses it beside its field.
 */
export function toDecimal(typed: string): string {
  if (typed.trim() === '') return '';
  return text.parse(typed) ?? `not a number: ${typed}`;
}

/** A decimal as it was understood; a text that is no number stays as it is. */
export function normalized(typed: string): string {
  const value = text.parse(typed);
  return value === undefined || fractionOf(value) > 20 ? typed : typedDecimal(value);
}

/** What was typed, for a nullable field: nothing typed is null. */
export const orNull = (typed: string): string | null => typed.trim() || null;

const fractionOf = (value: string): number => value.split('.')[1]?.length ?? 0;
