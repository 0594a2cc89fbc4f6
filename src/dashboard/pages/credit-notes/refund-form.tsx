import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { notifySuccess } from '../../components/toast.ts';
import { PaymentForm } from '../payments/payment-form.tsx';
import type { CreditNote } from './fields.ts';
import { RefundCreditNote } from './mutations.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  creditNote: Pick<CreditNote, 'id' | 'amountDue' | 'currency' | 'exchangeCurrency'>;
  onClose: () => void;
}

export function RefundForm({ creditNote, onClose }: Props): ReactNode {
  const { id, amountDue, currency, exchangeCurrency } = creditNote;
  const [, refund] = useMutation(RefundCreditNote);
  return (
    <PaymentForm
      kind="refund"
      due={amountDue}
      currency={currency}
      exchangeCurrency={exchangeCurrency}
      pay={(payment, context) => refund({ id, ...payment }, context)}
      onDone={() => {
        notifySuccess(t('The refund is recorded.'));
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
