import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { notifySuccess } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { PaymentForm } from '../payments/payment-form.tsx';
import type { CreditNote } from './fields.ts';
import { t } from '../../i18n/t.ts';

const RefundCreditNote = graphql(`
  mutation RefundCreditNote($id: UUID!, $amount: Decimal, $paidOn: Date) {
    refundCreditNote(id: $id, amount: $amount, paidOn: $paidOn) {
      id
    }
  }
`);

interface Props {
  creditNote: Pick<CreditNote, 'id' | 'amountDue' | 'currency'>;
  onClose: () => void;
}

export function RefundForm({ creditNote: { id, amountDue, currency }, onClose }: Props): ReactNode {
  const [, refund] = useMutation(RefundCreditNote);
  return (
    <PaymentForm
      kind="refund"
      due={amountDue}
      currency={currency}
      pay={(payment, context) => refund({ id, ...payment }, context)}
      onDone={() => {
        notifySuccess(t('The refund is recorded.'));
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
