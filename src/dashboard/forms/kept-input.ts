// Input that isn't saved yet, kept so that a reload loses nothing. It is in the tab's own storage: two tabs with the same form
// don't mix, and it is gone with the tab. Each user has their own, which nobody else who signs in is shown.

const prefix = 'kontor-input ';
/** More than an invoice of 500 lines has. In characters. */
const maxLength = 500_000;
/** In milliseconds. */
const maxAge = 2 * 24 * 60 * 60 * 1000;

export interface KeptInput<Values> {
  /** The values that the form was opened with. */
  base: Values;
  values: Values;
}

interface Kept<Values> extends KeptInput<Values> {
  at: number;
}

/** The name that a form's input is kept by. */
export const keptName = (userId: string, tenantId: string, form: string): string =>
  `${prefix}${userId} ${tenantId} ${form}`;

/** A browser may have no storage, or none left. */
function attempt<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

export function readKept<Values>(name: string): KeptInput<Values> | undefined {
  const text = attempt(() => sessionStorage.getItem(name));
  const kept = text ? attempt(() => JSON.parse(text) as Kept<Values>) : undefined;
  return kept && Date.now() - kept.at < maxAge ? kept : undefined;
}

export function writeKept<Values>(name: string, kept: KeptInput<Values>): void {
  const text = JSON.stringify({ ...kept, at: Date.now() } satisfies Kept<Values>);
  if (text.length <= maxLength) attempt(() => sessionStorage.setItem(name, text));
}

export const forgetKept = (name: string): void => void attempt(() => sessionStorage.removeItem(name));

/** Forgets the input of all users, or of all but one. */
export function forgetAllKept(exceptUserId?: string): void {
  const names = attempt(() => Object.keys(sessionStorage)) ?? [];
  for (const name of names)
    if (name.startsWith(prefix) && !(exceptUserId && name.startsWith(`${prefix}${exceptUserId} `))) forgetKept(name);
}

/** The names of the fields, to tell input of a former version of the form. */
export function shape(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length > 0 ? shape(value[0]) : ''}]`;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${shape(inner)}`)
    .toSorted()
    .join();
}
