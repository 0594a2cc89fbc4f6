import type { OperationResult } from 'urql';
import { codeOf } from '../api/client.ts';
import { date } from '../format/format.ts';
import { fieldName } from '../errors/plain-messages.ts';

/** The stored state of an object that a form edits: its values, or why it can no longer be changed. */
export interface StoredState<Values> {
  values?: Values;
  gone?: string;
}

/**
 * Reads the stored values.
 * @param answer the result of a separate query: the page's own query would re-render the page below the form
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
 * Merges a form's input with the stored values. A field that was changed only elsewhere gets the stored value; a field that was
 * changed here as well keeps its input.
 * @returns the form's values, and messages about the changes
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

/** Compares without the lines' React keys, which aren't stored. */
const same = (a: unknown, b: unknown): boolean => text(a) === text(b);
const text = (value: unknown): string =>
  JSON.stringify(value, (name, inner: unknown) => (name === 'key' ? undefined : inner)) ?? '';

const day = /^\d{4}-\d\d-\d\d$/;
const uuid = /^[0-9a-f-]{36}$/;

const valueText = (value: unknown): string =>
  typeof value === 'string' && value !== '' && value.length < 80 && !uuid.test(value)
    ? ` (now “${day.test(value) ? date(value) : value}”)`
    : '';
