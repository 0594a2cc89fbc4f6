import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { OperationResult } from 'urql';
import type { Once } from '../../api/client.ts';
import { money, today } from '../../format/format.ts';
import { toDecimal, typedAmount } from '../../forms/form-values.ts';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';

interface Props<Data> {
  due: string;
  currency: string;
  pay: (payment: { amount: string; paidOn: string }, once: Once) => Promise<OperationResult<Data>>;
  onDone: (data: Data) => void;
  onCancel: () => void;
}

/** Records a payment that came otherwise than by a known bank transaction. */
export function PaymentForm<Data>({ due, currency, pay, onDone, onCancel }: Props<Data>): ReactNode {
  const form = useForm({ mode: 'controlled', initialValues: { amount: typedAmount(due, currency), paidOn: today() } });
  const submission = useSubmit(
    form,
    ({ amount, paidOn }, once) => pay({ amount: toDecimal(amount), paidOn }, once),
    onDone,
  );
  return (
    <Form submission={submission} submit="Record the payment" onCancel={onCancel}>
      <DecimalInput
        label={`Amount in ${currency}`}
        description={`${money(due, currency)} is due`}
        required
        data-autofocus
        {...form.getInputProps('amount')}
      />
      <TextInput type="date" label="Paid on" required {...form.getInputProps('paidOn')} />
    </Form>
  );
}
