import { Alert, Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { OperationResult } from 'urql';
import { faultsOf } from '../faults.ts';

interface Submission {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  busy: boolean;
  /** What the server says that belongs beside no field. */
  faults: string[];
}

/**
 * Sends a form: `send` runs the mutation; its VALIDATION_FAILED goes beside the fields, which are named by the paths of
 * the input (`items.0.quantity`), and the first of them takes the focus.
 */
export function useSubmit<Values extends object, Data>(
  form: UseFormReturnType<Values>,
  send: (values: Values) => Promise<OperationResult<Data>>,
  onDone: (data: Data) => void,
): Submission {
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<string[]>([]);
  const focusFirst = ([first]: string[]): void => {
    if (first) form.getInputNode(first)?.focus();
  };
  const onSubmit = form.onSubmit(
    async (values) => {
      setBusy(true);
      setFaults([]);
      const { data, error } = await send(values);
      setBusy(false);
      if (error) {
        const { fields, rest } = faultsOf(error, (path) => form.getInputNode(path) !== null);
        form.setErrors(fields);
        setFaults(rest);
        focusFirst(Object.keys(fields));
      } else if (data) {
        form.resetDirty();
        onDone(data);
      }
    },
    (errors) => focusFirst(Object.keys(errors)),
  );
  return { onSubmit, busy, faults };
}

interface FormProps {
  submission: Submission;
  /** What the button does: `Add the webhook`. */
  submit: string;
  onCancel?: () => void;
  children: ReactNode;
  danger?: boolean;
}

/** A form and its buttons. The browser's own checks are off: the server says what is wrong, in one voice. */
export function Form({ submission, submit, onCancel, children, danger }: FormProps): ReactNode {
  return (
    <form onSubmit={submission.onSubmit} noValidate>
      <Stack gap="md">
        {submission.faults.length > 0 && (
          <Alert color="red" role="alert" title="Not saved">
            {submission.faults.map((fault) => (
              <div key={fault}>{fault}</div>
            ))}
          </Alert>
        )}
        {children}
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
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
