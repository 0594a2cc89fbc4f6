import { language as pageLanguage, locale } from '../i18n/language.ts';
import { translate } from '../i18n/t.ts';

/**
 * Formats numbers, dates, and money in the reader's locale. Pages use these functions only. Decimals stay strings: Intl
 * formats their digits exactly, and a number would round them.
 */

const cached = <Options, Format>(create: (options: Options) => Format): ((options: Options) => Format) => {
  const formats = new Map<string, Format>();
  return (options) => {
    const key = JSON.stringify(options);
    const format = formats.get(key) ?? create(options);
    formats.set(key, format);
    return format;
  };
};

const numbers = cached((options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const dates = cached((options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
const relative = new Intl.RelativeTimeFormat(pageLanguage, { numeric: 'auto', style: 'short' });

const exact = (value: string): Intl.StringNumericLiteral => value as Intl.StringNumericLiteral;

// Currencies for which browsers show fewer minor digits than ISO 4217 has, because their cash has none.
const moreDigits = new Map(
  Object.entries({ 2: 'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SOS SYP YER', 3: 'IQD' }).flatMap(
    ([digits, codes]) => codes.split(' ').map((code): [string, number] => [code, Number(digits)]),
  ),
);

/** Whether it looks like a currency. A bank may send a code that doesn't, which browsers refuse. */
const isCode = (currency: string): boolean => /^[A-Z]{3}$/.test(currency);

/** ISO 4217's minor digits of a currency: 2 for EUR, 0 for JPY, and 2 for a code that is none. */
export const minorDigits = (currency: string): number =>
  moreDigits.get(currency) ??
  (isCode(currency) ? numbers({ style: 'currency', currency }).resolvedOptions().maximumFractionDigits : undefined) ??
  2;

/**
 * `"1190.5"`, `"EUR"` → `€1,190.50`. Never rounds: a unit price may have more digits than its currency. A code that is no
 * currency is put after the number.
 */
export function money(amount: string, currency: string): string {
  if (!isCode(currency)) return `${decimal(amount)} ${currency}`;
  const options = { minimumFractionDigits: minorDigits(currency), maximumFractionDigits: 20 };
  const parts = numbers({ style: 'currency', currency, ...options }).formatToParts(exact(amount));
  return parts.map(({ type, value }) => moneySigns[type] ?? value).join('');
}

const findSign = (type: string, options: Intl.NumberFormatOptions = {}): string | undefined =>
  numbers(options)
    .formatToParts(-1234567.5)
    .find((part) => part.type === type)?.value;

// For en-DE, browsers write 1.234,5 but €1,234.50. The same sign must not mean two things on one page.
const contradicts = findSign('group') === findSign('decimal', { style: 'currency', currency: 'EUR' });
const moneySigns: Partial<Record<string, string | undefined>> = contradicts
  ? { group: findSign('group'), decimal: findSign('decimal') }
  : {};

/** A rounded amount for the axis of a chart: `€12K`. */
export const roundMoney = (value: number, currency: string): string =>
  numbers({ style: 'currency', currency, notation: 'compact', useGrouping: 'always' }).format(value); // else 5000, but 10.000

/** A quantity or a rate, with all its digits. */
export const decimal = (value: string): string => numbers({ maximumFractionDigits: 20 }).format(exact(value));

/** `"19"` → `19%`, or `19 %` in locales that write a space. */
export const percent = (value: string): string =>
  numbers({ style: 'unit', unit: 'percent', maximumFractionDigits: 20 }).format(exact(value));

export const count = (value: number): string => numbers({}).format(value);

/** 125 → `2 h 5 min`. */
export function minutes(total: number): string {
  const [hours, rest] = [Math.trunc(total / 60), total % 60];
  return [hours && `${count(hours)} h`, (rest || !hours) && `${rest} min`].filter(Boolean).join(' ');
}

/** `Intl` has none of them. */
const sizes = ['KiB', 'MiB', 'GiB'];

/** The size of a file, in the units of the limits: `1.5 MiB`, `354 bytes`. */
export function bytes(size: number): string {
  const step = Math.min(3, size === 0 ? 0 : Math.floor(Math.log2(size) / 10));
  const unit = sizes[step - 1];
  if (!unit) return numbers({ style: 'unit', unit: 'byte', unitDisplay: 'long' }).format(size);
  return `${numbers({ maximumFractionDigits: 1 }).format(size / 1024 ** step)}\u00A0${unit}`;
}

/** A text that is no date stays as it is: an address or a message may have anything in a date's place. */
const formatDate = (text: string, options: Intl.DateTimeFormatOptions): string =>
  Number.isNaN(Date.parse(text)) ? text : dates(options).format(new Date(text));

/** A calendar day. It is the same in every time zone. */
export const date = (day: string): string => formatDate(day, { dateStyle: 'medium', timeZone: 'UTC' });

/** `2026-03` → `Mar 2026`. */
export const month = (value: string): string =>
  dates({ month: 'short', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${value}-01`));

/** `2026-03` → `Mar`. */
export const shortMonth = (value: string): string =>
  dates({ month: 'short', timeZone: 'UTC' }).format(new Date(`${value}-01`));

/** `2026-02` → `2026-02-28`. */
export function lastDay(value: string): string {
  const day = new Date(`${value}-01`);
  day.setUTCMonth(day.getUTCMonth() + 1, 0);
  return day.toISOString().slice(0, 10);
}

/** A point in time, in the reader's time zone. */
export const dateTime = (instant: string): string => formatDate(instant, { dateStyle: 'medium', timeStyle: 'medium' });

/** The day of a point in time, in the reader's time zone. */
export const dayOf = (instant: string): string => dates({ dateStyle: 'medium' }).format(new Date(instant));

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.35],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
];

/** `3 minutes ago`, `in 2 hours`. In English, because it is used in English sentences. */
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

/** `PARTIALLY_MATCHED` → `Partially matched`, in the language of the pages. */
export function label(name: string): string {
  const words = name.toLowerCase().replaceAll(/[_-]/g, ' ');
  return translate(words.charAt(0).toUpperCase() + words.slice(1));
}

/** The options of a selection, labelled by their names. */
export const labelled = <Name extends string>(names: readonly Name[]): { value: Name; label: string }[] =>
  names.map((name) => ({ value: name, label: label(name) }));

/** The clock of a test tenant, as it was when it was read, and how the tenant's time zone writes a day: `YYYY-MM-DD`. */
const clock: { read: string | undefined; aheadMs: number; zone: string | undefined; days: Intl.DateTimeFormat } = {
  read: undefined,
  aheadMs: 0,
  zone: undefined,
  days: new Intl.DateTimeFormat('sv'),
};

/**
 * @param now the time by the tenant's clock, just read; undefined for the real time
 * @param zone the tenant's time zone; undefined for the reader's
 */
export function setClock(now: string | undefined, zone: string | undefined): void {
  if (zone !== clock.zone) {
    clock.zone = zone;
    clock.days = daysIn(zone);
  }
  if (now === clock.read) return;
  clock.read = now;
  clock.aheadMs = now === undefined ? 0 : Date.parse(now) - Date.now();
}

function daysIn(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv', { timeZone });
  } catch {
    return new Intl.DateTimeFormat('sv'); // the browser is older than the zone's name
  }
}

/** Today's date in the tenant's time zone, as `YYYY-MM-DD`: by the tenant's clock, if that is a test tenant. */
export const today = (): string => clock.days.format(Date.now() + clock.aheadMs);

/** `DE` → `Germany`. */
export const country = (code: string): string => new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code;

/** `de` → `German`. */
export const language = (code: string): string => new Intl.DisplayNames(locale, { type: 'language' }).of(code) ?? code;

/** All currencies, with code and name, as options of a selection. */
export const currencies = (): { value: string; label: string }[] => {
  const names = new Intl.DisplayNames(locale, { type: 'currency' });
  return Intl.supportedValuesOf('currency').map((code) => ({
    value: code,
    label: `${code} · ${names.of(code) ?? ''}`,
  }));
};

/**
 * Formats the amounts and dates in a sentence of the server: `Must not be more than the 59.5 EUR due.` Text in quotation
 * marks is quoted from a file and stays unchanged.
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
