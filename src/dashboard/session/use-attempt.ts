import type { UseFormReturnType } from '@mantine/form';
import { useState, type FormEvent } from 'react';
import { focusFirst } from '../forms/focus-first.ts';
import type { AuthResult, Refusal } from './auth.ts';

/** Submits a form with a password. The first field that is wrong gets the focus. */
export function useAttempt<Values extends object, Data>(
  form: UseFormReturnType<Values>,
  send: (values: Values) => Promise<AuthResult<Data>>,
  onDone: (data: Data, values: Values) => void,
): { onSubmit: (event?: FormEvent<HTMLFormElement>) => void; busy: boolean; refusal: Refusal | undefined } {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const submit = async (values: Values): Promise<void> => {
    setBusy(true);
    const { data, refusal: refused } = await send(values);
    setBusy(false);
    setRefusal(refused);
    if (!refused) return onDone(data, values);
    form.setErrors(refused.fields);
    focusFirst(form, refused.fields);
  };
  return { onSubmit: form.onSubmit(submit, (invalid) => focusFirst(form, invalid)), busy, refusal };
}
