import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { OperationResult } from 'urql';
import type { IdempotentContext } from '../api/client.ts';
import { Form, useSubmit } from '../forms/form.tsx';
import { reasonField } from '../forms/reason-field.ts';

interface Props<Data> {
  /** The effect, as a sentence: `119.00 EUR becomes due again.` */
  consequence: string;
  /** The label of the button: `Undo`. */
  submit: string;
  reverse: (reason: string, context: IdempotentContext) => Promise<OperationResult<Data>>;
  onDone: () => void;
  onCancel: () => void;
}

/** Asks for the reason why a payment is undone or a receipt is reversed, which stays in the books. */
export function ReverseForm<Data>({ consequence, submit, reverse, onDone, onCancel }: Props<Data>): ReactNode {
  const form = useForm({ mode: 'uncontrolled', initialValues: { reason: '' } });
  const submission = useSubmit(form, ({ reason }, context) => reverse(reason, context), onDone);
  return (
    <Form submission={submission} submit={submit} onCancel={onCancel}>
      <Text size="sm">{consequence}</Text>
      <TextInput {...reasonField} key={form.key('reason')} {...form.getInputProps('reason')} />
    </Form>
  );
}
