import { Decimal } from 'decimal.js';
import { toDecimal } from '../../forms/form-values.ts';

const hoursToMinutes = (hours: string): number => new Decimal(toDecimal(hours)).times(60).round().toNumber();

const isNumber = (typed: string): boolean => /^\d+(\.\d+)?$/.test(toDecimal(typed));

/** Parses a typed duration as minutes: `1:30`, `1.5`, `1,5 h`, `90 min`, `1 h 30`; NaN if it is none. */
export function toMinutes(typed: string): number {
  const text = typed.trim().toLowerCase();
  const clock = /^(\d{1,2}):([0-5]\d)$/.exec(text);
  if (clock) return Number(clock[1]) * 60 + Number(clock[2]);
  if (isNumber(text)) return hoursToMinutes(text);
  const [found, hours, minutes] = /^(?:(.+?)\s*h)?\s*(?:(\d+)\s*(?:m|min)?)?$/.exec(text) ?? [];
  if (!found || (hours !== undefined && !isNumber(hours))) return Number.NaN;
  return (hours === undefined ? 0 : hoursToMinutes(hours)) + Number(minutes ?? 0);
}

/** Formats a duration for a field: `1:30`. */
export const clock = (minutes: number): string =>
  `${Math.trunc(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
