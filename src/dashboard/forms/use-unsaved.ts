import type { UseFormReturnType } from '@mantine/form';
import { useContext, useEffect, useState } from 'react';
import { confirmDiscard, FormScopeContext, registerForm, type OpenForm } from './unsaved.ts';
import type { Kept } from './use-kept-input.ts';

/** Tracks whether a form has unsaved input. */
export interface Unsaved {
  /** Marks the current input as saved, or these values: what is typed while they are sent isn't saved yet. */
  markSaved: (saved?: object) => void;
  /** Asks whether unsaved input may be discarded. Without unsaved input it doesn't ask. */
  confirmDiscard: () => Promise<boolean>;
}

/**
 * Registers a form. While it has unsaved input, leaving the page or closing the dialog asks for confirmation.
 * @param kept its input that a reload keeps
 */
export function useUnsaved<Values extends object>(
  { getValues }: UseFormReturnType<Values>,
  kept: Kept<Values> | undefined,
): Unsaved {
  const scope = useContext(FormScopeContext);
  const [{ form, ...tracker }] = useState(() => {
    let stored = JSON.stringify(kept?.base ?? getValues());
    const markSaved = (saved: object = getValues()): void => {
      stored = JSON.stringify(saved);
      kept?.forget(saved as Values);
    };
    const opened: OpenForm = { isUnsaved: () => JSON.stringify(getValues()) !== stored, discard: () => markSaved() };
    return { form: opened, markSaved, confirmDiscard: () => confirmDiscard(new Set([opened])) };
  });
  useEffect(() => registerForm(scope, form), [scope, form]);
  return tracker;
}
