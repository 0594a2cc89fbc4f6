import { useState } from 'react';
import { useSession } from '../session/session.tsx';
import { mergeEdits, type Change } from './edit-conflict.ts';
import { forgetKept, keptName, readKept, shape, writeKept } from './kept-input.ts';

/** A form's input that a reload keeps. */
export interface Kept<Values> {
  /** The values without what was kept: those that are saved, or those of a new form. */
  base: Values;
  /** The values to begin with. */
  initial: Values;
  /** Whether they have input from before a reload. */
  isRestored: boolean;
  /** Changes that were made elsewhere since. */
  changes: Change<Values>[];
  keep: (values: Values) => void;
  /** Forgets what was kept, as these values are saved or discarded. */
  forget: (values: Values) => void;
}

/**
 * Keeps a form's input over a reload, until it is saved or discarded.
 * @param kind `invoice`
 * @param base the values without it
 * @param id of the row that the form edits. A new row's input belongs to the page's address
 */
export function useKeptInput<Values extends object>(kind: string, base: Values, id?: string): Kept<Values> {
  const { user, tenant } = useSession();
  const [kept] = useState((): Kept<Values> => {
    const { pathname, search } = window.location;
    const name = keptName(user.id, tenant.id, `${kind} ${id ?? pathname + search}`);
    const read = readKept<Values>(name);
    const found = read && shape(read.base) === shape(base) ? read : undefined;
    // The row may have been changed since. What only others have changed is theirs.
    const { values, changes } = found ? mergeEdits(found.base, found.values, base) : { values: base, changes: [] };
    let done = JSON.stringify(base);
    return {
      base,
      initial: values,
      isRestored: found !== undefined,
      changes,
      keep: (typed) => {
        if (JSON.stringify(typed) === done) forgetKept(name);
        else writeKept(name, { base, values: typed });
      },
      forget: (known) => {
        done = JSON.stringify(known);
        forgetKept(name);
      },
    };
  });
  return kept;
}
