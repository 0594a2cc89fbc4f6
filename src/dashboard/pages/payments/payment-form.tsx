import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { OperationResult } from 'urql';
import type { IdempotentContext } from '../../api/client.ts';
import { money, today } from '../../format/format.ts';
import { toDecimal, amountField } from '../../forms/form-values.ts';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';

interface Props<Data> {
  due: string;
  currency: string;
  pay: (payment: { amount: string; paidOn: string }, context: IdempotentContext) => Promise<OperationResult<Data>>;
  onDone: (data: Data) => void;
  onCancel: () => void;
}

/** Records a payment that no bank transaction shows. */
export function PaymentForm<Data>({ due, currency, pay, onDone, onCancel }: Props<Data>): ReactNode {
  const form = useForm({ mode: 'controlled', initialValues: { amount: amountField(due, currency), paidOn: today() } });
  const submission = useSubmit(
    form,
    ({ amount, paidOn }, context) => pay({ amount: toDecimal(amount), paidOn }, context),
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
