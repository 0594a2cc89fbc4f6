/**
 * How values look, in the browser's own locale. Decimals are strings and stay strings: Intl formats their digits
 * exactly, where a number would round them.
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

const numbers = cached((options: Intl.NumberFormatOptions) => new Intl.NumberFormat(undefined, options));
const dates = cached((options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, options));
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const exact = (value: string): Intl.StringNumericLiteral => value as Intl.StringNumericLiteral;

/** `"1190.5"`, `"EUR"` → `€1,190.50`. */
export const money = (amount: string, currency: string): string =>
  numbers({ style: 'currency', currency }).format(exact(amount));

/** A quantity, a rate: with all its digits. */
export const decimal = (value: string): string => numbers({ maximumFractionDigits: 20 }).format(exact(value));

export const percent = (value: string): string => `${decimal(value)} %`;

export const count = (value: number): string => numbers({}).format(value);

/** 125 → `2 h 5 min`. */
export function minutes(total: number): string {
  const [hours, rest] = [Math.trunc(total / 60), total % 60];
  return [hours && `${count(hours)} h`, (rest || !hours) && `${rest} min`].filter(Boolean).join(' ');
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

/** `3 minutes ago`, `in 2 hours`. */
export function ago(instant: string, now = Date.now()): string {
  let distance = (new Date(instant).getTime() - now) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(Math.round(distance)) < size) return relative.format(Math.round(distance), unit);
    distance /= size;
  }
  return dateTime(instant);
}

/** Seconds, for someone who waits: `40 seconds`, `3 minutes`. */
export function wait(seconds: number): string {
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return numbers({ style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

const commaIsDecimal = numbers({}).formatToParts(1.5)[1]?.value === ',';

/**
 * What a person types for a decimal, as the API wants it: blanks away, and a point for the comma of those who write one.
 * A point is always decimal, as the API's own values, which forms begin with, have it. Whatever may be meant either way
 * stays, for the server to refuse.
 */
export function toDecimal(typed: string, comma = commaIsDecimal): string {
  const text = typed.replaceAll(/[\s\u00A0\u202F]/g, '');
  return comma && /^[^.,]*,[^.,]*$/.test(text) ? text.replace(',', '.') : text;
}

/** `PARTIALLY_MATCHED` → `Partially matched`. */
export function label(name: string): string {
  const words = name.toLowerCase().replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `YYYY-MM-DD` of the reader's today. */
export function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** `DE` → `Germany`. */
export const country = (code: string): string => new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;

/** What was typed, for a nullable field: nothing typed is null. */
export const orNull = (typed: string): string | null => typed.trim() || null;

/** The currencies there are, by code, with their names. */
export const currencies = (): { value: string; label: string }[] => {
  const names = new Intl.DisplayNames(undefined, { type: 'currency' });
  return Intl.supportedValuesOf('currency').map((code) => ({
    value: code,
    label: `${code} · ${names.of(code) ?? ''}`,
  }));
};
