import { locale, pageLanguage } from './locale.ts';

/**
 * How values are shown: numbers, dates and money as the reader's locale writes them. No page formats by itself. Decimals
 * are strings and stay strings: Intl formats their digits exactly, where a number would round them.
 */

const cached = <Options, Format>(make: (options: Options) => Format): ((options: Options) => Format) => {
  const made = new Map<string, Format>();
  return (options) => {
    const key = JSON.stringify(options);
    const format = made.get(key) ?? make(options);
    made.set(key, format);
    return format;
  };
};

const numbers = cached((options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const dates = cached((options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
const relative = new Intl.RelativeTimeFormat(pageLanguage, { numeric: 'auto', style: 'short' });

const exact = (value: string): Intl.StringNumericLiteral => value as Intl.StringNumericLiteral;

// Where browsers show fewer minor digits than ISO 4217 has, as cash there has none.
const moreDigits = new Map(
  Object.entries({ 2: 'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SOS SYP YER', 3: 'IQD' }).flatMap(
    ([digits, codes]) => codes.split(' ').map((code): [string, number] => [code, Number(digits)]),
  ),
);

/** ISO 4217's minor digits of a currency: 2 for EUR, 0 for JPY. */
export const minorDigits = (currency: string): number =>
  moreDigits.get(currency) ?? numbers({ style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/**
 * `"1190.5"`, `"EUR"` → `€1,190.50`. Never rounds: a unit price may have more digits than its currency. A code that is
 * no currency, as a bank may send it, stands behind the number.
 */
export function money(amount: string, currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${decimal(amount)} ${currency}`;
  const options = { minimumFractionDigits: minorDigits(currency), maximumFractionDigits: 20 };
  const parts = numbers({ style: 'currency', currency, ...options }).formatToParts(exact(amount));
  return parts.map(({ type, value }) => moneySigns[type] ?? value).join('');
}

const signOf = (type: string, options: Intl.NumberFormatOptions = {}): string | undefined =>
  numbers(options)
    .formatToParts(-1234567.5)
    .find((part) => part.type === type)?.value;

// One locale, en-DE, has browsers write 1.234,5 but €1,234.50. The same sign must not mean two things on one page.
const contradicts = signOf('group') === signOf('decimal', { style: 'currency', currency: 'EUR' });
const moneySigns: Partial<Record<string, string | undefined>> = contradicts
  ? { group: signOf('group'), decimal: signOf('decimal') }
  : {};

/** An axis needs no cents: `€12K`. The value is rounded. */
export const roundMoney = (value: number, currency: string): string =>
  numbers({ style: 'currency', currency, notation: 'compact' }).format(value);

/** A quantity, a rate: with all its digits. */
export const decimal = (value: string): string => numbers({ maximumFractionDigits: 20 }).format(exact(value));

/** `"19"` → `19%`, or `19 %` where a blank is written. */
export const percent = (value: string): string =>
  numbers({ style: 'unit', unit: 'percent', maximumFractionDigits: 20 }).format(exact(value));

export const count = (value: number): string => numbers({}).format(value);

/** 125 → `2 h 5 min`. */
export function minutes(total: number): string {
  const [hours, rest] = [Math.trunc(total / 60), total % 60];
  return [hours && `${count(hours)} h`, (rest || !hours) && `${rest} min`].filter(Boolean).join(' ');
}

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];

/** How large a file is: `1.5 MB`. */
export function bytes(size: number): string {
  const step = Math.min(3, size === 0 ? 0 : Math.floor(Math.log10(size) / 3));
  return numbers({ style: 'unit', unit: sizes[step] ?? 'byte', maximumFractionDigits: 1 }).format(size / 1000 ** step);
}

/** A calendar day, the same wherever it is read. */
export const date = (day: string): string => dates({ dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));

/** `2026-03` → `Mar 2026`. */
export const month = (value: string): string =>
  dates({ month: 'short', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${value}-01`));

/** A point in time, in the reader's own zone. */
export const dateTime = (instant: string): string =>
  dates({ dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(instant));

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.35],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
];

/** `3 minutes ago`, `in 2 hours`: words in an English sentence, so in English. */
export function ago(instant: string, now = Date.now()): string {
  let distance = (new Date(instant).getTime() - now) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(Math.round(distance)) < size) return relative.format(Math.round(distance), unit);
    distance /= size;
  }
  return dateTime(instant);
}

/** Formats a waiting time in seconds: `40 seconds`, `3 minutes`. */
export function wait(seconds: number): string {
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(pageLanguage, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** `PARTIALLY_MATCHED` → `Partially matched`. */
export function label(name: string): string {
  const words = name.toLowerCase().replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The options of a selection, labelled by their names. */
export const labelled = <Name extends string>(names: readonly Name[]): { value: Name; label: string }[] =>
  names.map((name) => ({ value: name, label: label(name) }));

/** `YYYY-MM-DD` of the reader's today. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** `DE` → `Germany`. */
export const country = (code: string): string => new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code;

/** The currencies there are, by code, with their names. */
export const currencies = (): { value: string; label: string }[] => {
  const names = new Intl.DisplayNames(locale, { type: 'currency' });
  return Intl.supportedValuesOf('currency').map((code) => ({
    value: code,
    label: `${code} · ${names.of(code) ?? ''}`,
  }));
};

/**
 * A sentence of the server's, with amounts and dates as the reader writes them: `Must not be more than the 59.5 EUR due.`
 * What stands in quotation marks is quoted from a file, and stays.
 */
export const sentence = (text: string): string =>
  text
    .split(/("[^"]*")/)
    .map((part) =>
      part.startsWith('"')
        ? part
        : part
            .replaceAll(/(?<![\w.,-])(-?\d+(?:\.\d+)?) ([A-Z]{3})\b/g, (_, amount: string, code: string) =>
              money(amount, code),
            )
            .replaceAll(/(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])/g, (day) => date(day)),
    )
    .join('');
