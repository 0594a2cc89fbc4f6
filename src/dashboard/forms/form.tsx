import { Alert, Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { OperationResult } from 'urql';
import type { Once } from '../api/client.ts';
import { formErrorsOf } from '../errors/form-errors.ts';
import { mergeEdits, type StoredState } from './edit-conflict.ts';
import { randomId } from './random-id.ts';
import { useUnsaved, type Unsaved } from './use-unsaved.ts';

export interface Submission {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  busy: boolean;
  /** What the server says that belongs beside no field. */
  faults: string[];
  /** What was changed elsewhere since the form was opened, to be looked over before it is saved. */
  changes: string[];
  /** Why the form's object can no longer be changed. */
  gone: string | undefined;
  unsaved: Unsaved;
}

/**
 * Sends a form: `send` runs the mutation; its VALIDATION_FAILED goes beside the fields, which are named by the paths of
 * the input (`items.0.quantity`), and the first of them takes the focus. What is typed stays until it is stored. Sent
 * again after no answer came, it carries the same Idempotency-Key, so that it is done once.
 * @param current the values as they are stored now, for a form that changes something: asked for before it is sent
 */
export function useSubmit<Values extends object, Data>(
  form: UseFormReturnType<Values>,
  send: (values: Values, once: Once) => Promise<OperationResult<Data>>,
  onDone: (data: Data) => void,
  current?: () => Promise<StoredState<Values>>,
): Submission {
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<string[]>([]);
  const [changes, setChanges] = useState<string[]>([]);
  const [gone, setGone] = useState<string>();
  const [unanswered, setUnanswered] = useState<{ key: string; values: string }>();
  const unsaved = useUnsaved(form);
  const [opened, setOpened] = useState<Values>(() => form.getValues());
  const focusFirst = ([first]: string[]): void => {
    if (first) form.getInputNode(first)?.focus();
  };

  /** Merges changes that were made elsewhere. @returns whether the form can be sent unchanged */
  const isUpToDate = async (): Promise<boolean> => {
    const now = await current?.();
    if (now?.gone) setGone(now.gone);
    if (!now?.values) return !now?.gone;
    const merged = mergeEdits(opened, form.getValues(), now.values);
    setOpened(now.values);
    form.setValues(merged.values);
    setChanges(merged.changes);
    return merged.changes.length === 0;
  };

  const submit = async (values: Values): Promise<void> => {
    if (!gone && !(await isUpToDate())) return;
    const text = JSON.stringify(values);
    const key = unanswered?.values === text ? unanswered.key : randomId();
    const { data, error } = await send(values, { idempotencyKey: key });
    setUnanswered(error?.networkError ? { key, values: text } : undefined);
    if (error) {
      const { fields, rest } = formErrorsOf(error, (path) => form.getInputNode(path) !== null);
      form.setErrors(fields);
      setFaults(rest);
      focusFirst(Object.keys(fields));
    } else if (data) {
      unsaved.saved();
      onDone(data);
      unsaved.saved(); // what a form that stays begins anew with
    }
  };

  const handle = form.onSubmit(
    async (values) => {
      setBusy(true);
      setFaults([]);
      setChanges([]);
      await submit(values).finally(() => setBusy(false));
    },
    (errors) => focusFirst(Object.keys(errors)),
  );
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    // React sends the event of a form in a dialog on to the form that the dialog was opened from.
    event.stopPropagation();
    handle(event);
  };
  return { onSubmit, busy, faults, changes, gone, unsaved };
}

interface FormProps {
  submission: Submission;
  /** What the button does: `Add the webhook`. */
  submit: string;
  onCancel?: () => void;
  children: ReactNode;
  danger?: boolean;
}

/** A form and its buttons. The browser's own validation is off, so that all error messages come from the server. */
export function Form({ submission, submit, onCancel, children, danger }: FormProps): ReactNode {
  const cancel = async (): Promise<void> => {
    if (await submission.unsaved.discard()) onCancel?.();
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

/** What is to be said above the fields. */
export function FormMessages({ submission: { faults, changes, gone } }: { submission: Submission }): ReactNode {
  return (
    <>
      {gone && (
        <Alert color="yellow" role="alert" title="Not saved">
          {gone} What you typed is still here.
        </Alert>
      )}
      {changes.length > 0 && (
        <Alert color="yellow" role="alert" title="Changed meanwhile, not saved yet">
          {changes.map((change) => (
            <div key={change}>{change}</div>
          ))}
          <div>Look it over, and save again.</div>
        </Alert>
      )}
      {faults.length > 0 && (
        <Alert color="red" role="alert" title="Not saved">
          {faults.map((fault) => (
            <div key={fault}>{fault}</div>
          ))}
        </Alert>
      )}
    </>
  );
}
