import { decimalText } from '../format/decimal-text.ts';
import { minorDigits } from '../format/format.ts';
import { locale } from '../i18n/language.ts';

// Converts between the text in forms and the API's values.

const decimals = decimalText(locale);

/** An example of a number with a fraction, in the locale: `1,234.56`. */
export const numberExample = decimals.format('1234.56');

/** A decimal as the initial text of a field: `1234.5` is `1.234,5` in German. */
export const decimalField = (value: string): string => decimals.format(value, countDecimals(value));

/** An amount as the initial text of a field, with at least its currency's minor digits: `59,50`. */
export const amountField = (value: string, currency: string): string =>
  decimals.format(value, Math.max(minorDigits(currency), countDecimals(value)));

/**
 * Converts typed text to a decimal of the API; '' stays ''. Invalid and ambiguous text stays invalid, so that the server
 * reports an error for the field.
 */
export function toDecimal(typed: string): string {
  if (typed.trim() === '') return '';
  return decimals.parse(typed) ?? `not a number: ${typed}`;
}

/** Reads an amount of money, with or without its currency; undefined for other text, and for more digits than amounts have. */
export function toAmount(typed: string): string | undefined {
  const amount = decimals.parse(typed.replaceAll(/\p{Sc}|\b[A-Z]{3}\b/gu, ''));
  return amount !== undefined && /^-?\d{1,12}(\.\d{1,4})?$/.test(amount) ? amount : undefined;
}

/** Formats a typed decimal in the locale. Text that is no number stays as it is. */
export function normalized(typed: string): string {
  const value = decimals.parse(typed);
  return value === undefined || countDecimals(value) > 20 ? typed : decimalField(value);
}

/** Converts typed text to a nullable value: empty text is null. */
export const orNull = (typed: string): string | null => typed.trim() || null;

/**
 * Converts typed text to a nullable whole number that isn't negative: empty text is null. Other text becomes −1, so that the
 * server reports an error for the field.
 */
export function toCount(typed: string): number | null {
  if (typed.trim() === '') return null;
  return /^\d{1,9}$/.test(typed.trim()) ? Number(typed) : -1;
}

const countDecimals = (value: string): number => value.split('.')[1]?.length ?? 0;
