import type { OperationResult } from 'urql';
import { getCode } from '../api/client.ts';
import { isDateField } from '../format/day-and-time.ts';
import { date } from '../format/format.ts';
import { fieldName } from '../errors/plain-messages.ts';
import { t } from '../i18n/t.ts';

/** The stored state of a row that a form edits: its values, or the reason why it can no longer be edited. */
export interface StoredState<Values> {
  values?: Values;
  /** The row's version, which the update expects. */
  version?: number;
  blocked?: string;
}

/**
 * Reads the stored values.
 * @param result of a separate query: the page's own query would re-render the page below the form
 * @param deleted the reason if the row no longer exists
 */
export async function readStored<Data, Values>(
  result: Promise<OperationResult<Data>>,
  read: (data: Data) => StoredState<Values> | null,
  deleted: string,
): Promise<StoredState<Values>> {
  const { data, error } = await result;
  if (error && getCode(error) === 'NOT_FOUND') return { blocked: deleted };
  // On a network error the form is sent anyway, and reports it.
  return (data && read(data)) ?? {};
}

/** A change that was made elsewhere. */
export interface Change<Values> {
  /** The message for the user. */
  text: string;
  /** The field, if it was changed here as well. The user can take either value. */
  conflict?: keyof Values & string;
}

/** The message after the user has taken the value from elsewhere. */
export function taken(field: string, stored: unknown, label: (field: string) => string): string {
  const [name, value] = [label(field), shownValue(field, stored)];
  return value === undefined
    ? t('{name} has the value from elsewhere.', { name })
    : t('{name} has the value from elsewhere: “{value}”.', { name, value });
}

/**
 * Merges a form's input with the stored values, field by field. A field that was changed only elsewhere gets the stored
 * value. A field that was changed here as well keeps its input.
 * @param label names a field for the user
 * @param base the values that the form was opened with
 * @returns the form's values, and messages about the changes made elsewhere
 */
export function mergeEdits<Values extends object>(
  base: Values,
  input: Values,
  stored: Values,
  label: (field: string) => string = fieldName,
): { values: Values; changes: Change<Values>[] } {
  const values = { ...input };
  const changes: Change<Values>[] = [];
  for (const name of Object.keys(stored) as (keyof Values & string)[]) {
    if (isEqual(stored[name], base[name]) || isEqual(stored[name], input[name])) continue;
    if (isEqual(input[name], base[name])) {
      values[name] = stored[name];
      changes.push({ text: updatedHere(name, stored[name], label) });
    } else {
      changes.push({ text: keptHere(name, stored[name], label), conflict: name });
    }
  }
  return { values, changes };
}

/** Compares values, but not the React keys of lines, which aren't stored. */
const isEqual = (a: unknown, b: unknown): boolean => serialize(a) === serialize(b);
const serialize = (value: unknown): string =>
  JSON.stringify(value, (name, inner: unknown) => (name === 'key' ? undefined : inner)) ?? '';

const uuid = /^[0-9a-f-]{36}$/;

/** A value that can be shown in a sentence; undefined for none, and for one that says nothing to a user. */
const shownValue = (field: string, value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length < 80 && !uuid.test(value)
    ? isDateField(field)
      ? date(value)
      : value
    : undefined;

function updatedHere(field: string, stored: unknown, label: (field: string) => string): string {
  const [name, value] = [label(field), shownValue(field, stored)];
  return value === undefined
    ? t('{name} was changed elsewhere, and updated here.', { name })
    : t('{name} was changed elsewhere to “{value}”, and updated here.', { name, value });
}

function keptHere(field: string, stored: unknown, label: (field: string) => string): string {
  const [name, value] = [label(field), shownValue(field, stored)];
  return value === undefined
    ? t('{name} was also changed elsewhere. Your change is kept.', { name })
    : t('{name} was also changed elsewhere to “{value}”. Your change is kept.', { name, value });
}
