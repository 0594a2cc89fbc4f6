import type { Decimal } from '../../money/decimal.ts';
import { minorDigits } from '../../money/money.ts';
import type { Period } from '../e-invoice/model.ts';
import type { Language } from '../../codes/languages.ts';

/** Writes numbers, money, and days as a document's language does. All digits are kept. */
export interface Formats {
  /** 1.234,50 € */
  money(amount: Decimal): string;
  /** 1.234,50, with at least the currency's digits. */
  amount(amount: Decimal): string;
  /** 1,5 */
  quantity(quantity: Decimal): string;
  /** 19 %, of 19 */
  percent(percent: Decimal): string;
  /** 22.11.2026, of 2026-11-22 */
  day(day: string): string;
  period(period: Period): string;
  /** Germany, of DE */
  country(code: string): string;
  /** The currency's sign, or its code if it has none: €, CHF */
  currencySign: string;
}

// American English would write the month before the day.
const locales: Record<Language, string> = { de: 'de-DE', en: 'en-GB' };
// More digits than any amount has.
const maximumFractionDigits = 30;
const cache = new Map<string, Formats>();

/** @param currency ISO 4217 */
export function formatsFor(language: Language, currency: string): Formats {
  const key = `${language} ${currency}`;
  const formats = cache.get(key) ?? createFormats(locales[language], currency);
  cache.set(key, formats);
  return formats;
}

function createFormats(locale: string, currency: string): Formats {
  const digits = { minimumFractionDigits: minorDigits(currency), maximumFractionDigits };
  const currencyDisplay = 'symbol';
  const money = new Intl.NumberFormat(locale, { ...digits, style: 'currency', currency, currencyDisplay });
  const amount = new Intl.NumberFormat(locale, digits);
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits });
  const percent = new Intl.NumberFormat(locale, { maximumFractionDigits, style: 'unit', unit: 'percent' });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const countries = new Intl.DisplayNames(locale, { type: 'region' });
  const write = (format: Intl.NumberFormat, value: Decimal): string =>
    // A minus sign has the width of a digit, a hyphen hasn't.
    format.format(value.toFixed() as Intl.StringNumericLiteral).replace('-', '−');
  const day = (text: string): string => days.format(new Date(`${text}T00:00:00Z`));
  return {
    money: (value) => write(money, value),
    amount: (value) => write(amount, value),
    quantity: (value) => write(quantity, value),
    percent: (value) => write(percent, value),
    day,
    period: ({ start, end }) => (start === end ? day(start) : `${day(start)} – ${day(end)}`),
    country: (code) => countries.of(code) ?? code,
    currencySign: money.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency,
  };
}
