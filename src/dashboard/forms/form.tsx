import { Alert, Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { OperationResult } from 'urql';
import type { IdempotentContext } from '../api/client.ts';
import { formErrorsOf } from '../errors/form-errors.ts';
import { mergeEdits, type StoredState } from './edit-conflict.ts';
import { randomId } from './random-id.ts';
import { useUnsaved, type Unsaved } from './use-unsaved.ts';

export interface Submission {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  busy: boolean;
  /** Errors that belong to no field. */
  errors: string[];
  /** Changes that were made elsewhere since the form was opened. The user reviews them before saving. */
  changes: string[];
  /** The reason why the form's row can no longer be edited. */
  blocked: string | undefined;
  unsaved: Unsaved;
}

/**
 * Submits a form. Validation errors are shown beside the fields, which have the names of the input's paths, such as
 * `items.0.quantity`; the first invalid field gets the focus. The input stays until it is saved. After a network error,
 * sending the same values again uses the same Idempotency-Key, so that they are saved once.
 * @param send runs the mutation
 * @param readCurrent reads the stored values before the form is sent, for a form that edits a row
 */
export function useSubmit<Values extends object, Data>(
  form: UseFormReturnType<Values>,
  send: (values: Values, context: IdempotentContext) => Promise<OperationResult<Data>>,
  onDone: (data: Data) => void,
  readCurrent?: () => Promise<StoredState<Values>>,
): Submission {
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<string[]>([]);
  const [changes, setChanges] = useState<string[]>([]);
  const [blocked, setBlocked] = useState<string>();
  const [unconfirmed, setUnconfirmed] = useState<{ key: string; values: string }>();
  const unsaved = useUnsaved(form);
  const [base, setBase] = useState<Values>(() => form.getValues());
  const focusFirst = ([first]: string[]): void => {
    if (first) form.getInputNode(first)?.focus();
  };

  /** Merges changes that were made elsewhere. @returns whether the form can be sent unchanged */
  const isUpToDate = async (): Promise<boolean> => {
    const stored = await readCurrent?.();
    if (stored?.blocked) setBlocked(stored.blocked);
    if (!stored?.values) return !stored?.blocked;
    const merged = mergeEdits(base, form.getValues(), stored.values);
    setBase(stored.values);
    form.setValues(merged.values);
    setChanges(merged.changes);
    return merged.changes.length === 0;
  };

  const submit = async (values: Values): Promise<void> => {
    if (!blocked && !(await isUpToDate())) return;
    const text = JSON.stringify(values);
    const key = unconfirmed?.values === text ? unconfirmed.key : randomId();
    const { data, error } = await send(values, { idempotencyKey: key });
    setUnconfirmed(error?.networkError ? { key, values: text } : undefined);
    if (error) {
      const { fields, rest } = formErrorsOf(error, (path) => form.getInputNode(path) !== null);
      form.setErrors(fields);
      setErrors(rest);
      focusFirst(Object.keys(fields));
    } else if (data) {
      unsaved.markSaved();
      onDone(data);
      unsaved.markSaved(); // onDone may have set new initial values
    }
  };

  const handle = form.onSubmit(
    async (values) => {
      setBusy(true);
      setErrors([]);
      setChanges([]);
      await submit(values).finally(() => setBusy(false));
    },
    (invalid) => focusFirst(Object.keys(invalid)),
  );
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    // In React, the event of a form in a dialog bubbles to the form that contains the dialog.
    event.stopPropagation();
    handle(event);
  };
  return { onSubmit, busy, errors, changes, blocked, unsaved };
}

interface FormProps {
  submission: Submission;
  /** The label of the submit button: `Add the webhook`. */
  submit: string;
  onCancel?: () => void;
  children: ReactNode;
  danger?: boolean;
}

/** A form and its buttons. The browser's own validation is off, so that all error messages come from the server. */
export function Form({ submission, submit, onCancel, children, danger }: FormProps): ReactNode {
  const cancel = async (): Promise<void> => {
    if (await submission.unsaved.confirmDiscard()) onCancel?.();
  };
  return (
    <form onSubmit={submission.onSubmit} noValidate>
      <Stack gap="md">
        <FormMessages submission={submission} />
        {children}
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={() => void cancel()}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={submission.busy} {...(danger && { color: 'red' })}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Messages above the fields. */
export function FormMessages({ submission: { errors, changes, blocked } }: { submission: Submission }): ReactNode {
  return (
    <>
      {blocked && (
        <Alert color="yellow" role="alert" title="Not saved">
          {blocked} Your input is still here.
        </Alert>
      )}
      {changes.length > 0 && (
        <Alert color="yellow" role="alert" title="Not saved yet: changed elsewhere">
          {changes.map((change) => (
            <div key={change}>{change}</div>
          ))}
          <div>Review the changes, then save again.</div>
        </Alert>
      )}
      {errors.length > 0 && (
        <Alert color="red" role="alert" title="Not saved">
          {errors.map((message) => (
            <div key={message}>{message}</div>
          ))}
        </Alert>
      )}
    </>
  );
}
