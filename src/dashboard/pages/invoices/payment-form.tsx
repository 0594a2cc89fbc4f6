import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { Form, useSubmit } from '../../components/form.tsx';
import { done } from '../../components/toast.ts';
import { money, today, toDecimal } from '../../format.ts';
import { graphql } from '../../graphql.ts';
import type { Invoice } from './fields.ts';

const PayInvoice = graphql(`
  mutation PayInvoice($id: UUID!, $amount: Decimal, $paidOn: Date) {
    payInvoice(id: $id, amount: $amount, paidOn: $paidOn) {
      id
      status
    }
  }
`);

interface Props {
  invoice: Pick<Invoice, 'id' | 'amountDue' | 'currency'>;
  onClose: () => void;
}

/** Records a payment that came otherwise than by a known bank transaction. */
export function PaymentForm({ invoice: { id, amountDue, currency }, onClose }: Props): ReactNode {
  const [, pay] = useMutation(PayInvoice);
  const form = useForm({ mode: 'controlled', initialValues: { amount: amountDue, paidOn: today() } });
  const submission = useSubmit(
    form,
    ({ amount, paidOn }) => pay({ id, amount: toDecimal(amount), paidOn }),
    ({ payInvoice: { status } }) => {
      done(status === 'PAID' ? 'The invoice is paid.' : 'The payment is recorded.');
      onClose();
    },
  );
  return (
    <Form submission={submission} submit="Record the payment" onCancel={onClose}>
      <TextInput
        label={`Amount in ${currency}`}
        description={`${money(amountDue, currency)} is due`}
        inputMode="decimal"
        required
        data-autofocus
        {...form.getInputProps('amount')}
      />
      <TextInput type="date" label="Paid on" required {...form.getInputProps('paidOn')} />
    </Form>
  );
}
