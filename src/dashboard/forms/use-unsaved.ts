import type { UseFormReturnType } from '@mantine/form';
import { useContext, useEffect, useState } from 'react';
import { FormScopeContext, mayDiscard, registerForm } from './unsaved.ts';

/** Whether something is typed into a form that isn't stored. */
export interface Unsaved {
  /** All of it is stored now. */
  saved: () => void;
  /** Asks whether it may be thrown away, where there is any. */
  discard: () => Promise<boolean>;
}

/** Registers a form: leaving it, or closing its dialog, asks for confirmation while it has unsaved input. */
export function useUnsaved<Values extends object>({ getValues }: UseFormReturnType<Values>): Unsaved {
  const scope = useContext(FormScopeContext);
  const [watched] = useState(() => {
    let stored = JSON.stringify(getValues());
    const isUnsaved = (): boolean => JSON.stringify(getValues()) !== stored;
    const saved = (): void => {
      stored = JSON.stringify(getValues());
    };
    const discard = async (): Promise<boolean> => {
      const may = await mayDiscard(new Set([isUnsaved]));
      if (may) saved();
      return may;
    };
    return { isUnsaved, saved, discard };
  });
  useEffect(() => registerForm(scope, watched.isUnsaved), [scope, watched]);
  return watched;
}
