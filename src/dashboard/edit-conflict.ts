import type { OperationResult } from 'urql';
import { codeOf } from './client.ts';
import { date } from './format.ts';
import { fieldName } from './plain-messages.ts';

/** What became of something while a form changed it: its values now, or why it can't be changed any more. */
export interface StoredState<Values> {
  values?: Values;
  gone?: string;
}

/**
 * Reads what is stored now.
 * @param answer of a query of its own: one that the page shares would change the page below the form
 */
export async function readStored<Data, Values>(
  answer: Promise<OperationResult<Data>>,
  read: (data: Data) => StoredState<Values>,
  deleted: string,
): Promise<StoredState<Values>> {
  const { data, error } = await answer;
  if (error && codeOf(error) === 'NOT_FOUND') return { gone: deleted };
  // Where no answer comes, sending the form tells why.
  return data ? read(data) : {};
}

/**
 * Brings a form up to date. A field that was changed elsewhere alone is taken over; one that was changed here as well
 * keeps what is typed.
 * @returns the form's values, and what is to be told
 */
export function mergeEdits<Values extends object>(
  opened: Values,
  typed: Values,
  now: Values,
): { values: Values; changes: string[] } {
  const values = { ...typed };
  const changes: string[] = [];
  for (const name of Object.keys(now) as (keyof Values & string)[]) {
    if (same(now[name], opened[name]) || same(now[name], typed[name])) continue;
    if (same(typed[name], opened[name])) {
      values[name] = now[name];
      changes.push(`${fieldName(name)}${valueText(now[name])} was changed elsewhere, and is taken over.`);
    } else {
      changes.push(`${fieldName(name)} was changed elsewhere as well${valueText(now[name])}. Yours is kept.`);
    }
  }
  return { values, changes };
}

/** Lines have keys for React, which are no part of what is stored. */
const same = (a: unknown, b: unknown): boolean => text(a) === text(b);
const text = (value: unknown): string =>
  JSON.stringify(value, (name, inner: unknown) => (name === 'key' ? undefined : inner)) ?? '';

const day = /^\d{4}-\d\d-\d\d$/;
const uuid = /^[0-9a-f-]{36}$/;

const valueText = (value: unknown): string =>
  typeof value === 'string' && value !== '' && value.length < 80 && !uuid.test(value)
    ? ` (now “${day.test(value) ? date(value) : value}”)`
    : '';
