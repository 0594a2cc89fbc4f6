// Separate from scalars.ts: the parser thread and the command line need no GraphQL schema, and start faster.

const calendarDay = /^(\d{4})-\d{2}-\d{2}$/;

/** A real day of the calendar, 0001-01-01 to 9999-12-31, as midnight UTC; undefined if `value` is none. */
export function parseDay(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !calendarDay.test(value) || value.startsWith('0000')) return undefined;
  const day = new Date(`${value}T00:00:00Z`);
  // Date rolls 30 February over into March.
  return !Number.isNaN(day.getTime()) && formatDay(day) === value ? day : undefined;
}

const dayMs = 86_400_000;
/** Cache of formatted days, by day number: formatting is slow, and a page of invoices has more than 100 days. */
const days = new Map<number, string>();

export function formatDay(day: Date): string {
  const number = Math.floor(day.getTime() / dayMs);
  let text = days.get(number);
  if (text === undefined) {
    if (days.size === 10_000) days.clear();
    days.set(number, (text = day.toISOString().slice(0, 10)));
  }
  return text;
}

/** ISO 8601 in UTC with its offset, to the second: `2026-01-31T09:30:00+00:00`. */
export function formatTime(time: Date): string {
  const seconds = Math.floor(time.getTime() / 1000) % 86_400;
  const ofDay = seconds < 0 ? seconds + 86_400 : seconds; // before 1970
  const [hour, minute, second] = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60, ofDay % 60];
  return `${formatDay(time)}T${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[second]}+00:00`;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
