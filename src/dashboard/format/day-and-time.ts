// Only some pages need these: the first page is loaded without them.

/**
 * Whether a field holds a date or a time, by its name: `due_date`, `dueDate`, `paid_on`. A text may look like a date and
 * be none, such as a receipt's number.
 */
export const isDateField = (name: string): boolean =>
  /(?:^|_)(?:date|on|at|until|start|end)$|[a-z](?:Date|On|At|Until|Start|End)$/.test(name);

/**
 * The start of a day in the reader's time zone, some days later, as a time for the API. A text that is no day stays as it
 * is, so that the server refuses it: an address may have anything, and browsers let people type years of six digits.
 */
export function getStartOfDay(day: string, daysLater: number): string {
  const start = new Date(`${day}T00:00`);
  if (Number.isNaN(start.getTime())) return day;
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}

/**
 * A date and a time of a form, in the reader's time zone, as a time for the API. A text that is none stays as it is, so that
 * the server refuses it at its field.
 */
export function toInstant(local: string): string {
  const instant = new Date(local);
  return Number.isNaN(instant.getTime()) ? local : instant.toISOString();
}
