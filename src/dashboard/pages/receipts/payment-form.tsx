import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { PaymentForm } from '../payments/payment-form.tsx';
import { done } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { dueOf, type Receipt } from './fields.ts';

const PayReceipt = graphql(`
  mutation PayReceipt($id: UUID!, $amount: Decimal, $paidOn: Date) {
    payReceipt(id: $id, amount: $amount, paidOn: $paidOn) {
      id
      status
    }
  }
`);

export function ReceiptPaymentForm({ receipt, onClose }: { receipt: Receipt; onClose: () => void }): ReactNode {
  const [, pay] = useMutation(PayReceipt);
  return (
    <PaymentForm
      due={dueOf(receipt)}
      currency={receipt.currency}
      pay={(payment, once) => pay({ id: receipt.id, ...payment }, once)}
      onDone={({ payReceipt: { status } }) => {
        done(status === 'PAID' ? 'The receipt is paid.' : 'The payment is recorded.');
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
