import type { UseFormReturnType } from '@mantine/form';
import { useContext, useEffect, useState } from 'react';
import { confirmDiscard, FormScopeContext, registerForm } from './unsaved.ts';

/** Tracks whether a form has unsaved input. */
export interface Unsaved {
  /** Marks the current input as saved. */
  markSaved: () => void;
  /** Asks whether unsaved input may be discarded. Without unsaved input it doesn't ask. */
  confirmDiscard: () => Promise<boolean>;
}

/** Registers a form. While it has unsaved input, leaving the page or closing the dialog asks for confirmation. */
export function useUnsaved<Values extends object>({ getValues }: UseFormReturnType<Values>): Unsaved {
  const scope = useContext(FormScopeContext);
  const [tracker] = useState(() => {
    let stored = JSON.stringify(getValues());
    const isUnsaved = (): boolean => JSON.stringify(getValues()) !== stored;
    const markSaved = (): void => {
      stored = JSON.stringify(getValues());
    };
    const discard = async (): Promise<boolean> => {
      const confirmed = await confirmDiscard(new Set([isUnsaved]));
      if (confirmed) markSaved();
      return confirmed;
    };
    return { isUnsaved, markSaved, confirmDiscard: discard };
  });
  useEffect(() => registerForm(scope, tracker.isUnsaved), [scope, tracker]);
  return tracker;
}
