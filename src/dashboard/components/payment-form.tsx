import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { OperationResult } from 'urql';
import { money, today, toDecimal } from '../format.ts';
import { Form, useSubmit } from './form.tsx';

interface Props<Data> {
  due: string;
  currency: string;
  pay: (payment: { amount: string; paidOn: string }) => Promise<OperationResult<Data>>;
  onDone: (data: Data) => void;
  onCancel: () => void;
}

/** Records a payment that came otherwise than by a known bank transaction. */
export function PaymentForm<Data>({ due, currency, pay, onDone, onCancel }: Props<Data>): ReactNode {
  const form = useForm({ mode: 'controlled', initialValues: { amount: due, paidOn: today() } });
  const submission = useSubmit(form, ({ amount, paidOn }) => pay({ amount: toDecimal(amount), paidOn }), onDone);
  return (
    <Form submission={submission} submit="Record the payment" onCancel={onCancel}>
      <TextInput
        label={`Amount in ${currency}`}
        description={`${money(due, currency)} is due`}
        inputMode="decimal"
        required
        data-autofocus
        {...form.getInputProps('amount')}
      />
      <TextInput type="date" label="Paid on" required {...form.getInputProps('paidOn')} />
    </Form>
  );
}
