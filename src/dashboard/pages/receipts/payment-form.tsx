import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { PaymentForm } from '../payments/payment-form.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { computeDue, type Receipt } from './fields.ts';
import { t } from '../../i18n/t.ts';

const PayReceipt = graphql(`
  mutation PayReceipt(
    $id: UUID!
    $amount: Decimal
    $paidOn: Date
    $exchangeRate: Decimal
    $adjustments: [AdjustmentInput!]
  ) {
    payReceipt(id: $id, amount: $amount, paidOn: $paidOn, exchangeRate: $exchangeRate, adjustments: $adjustments) {
      id
      status
    }
  }
`);

export function ReceiptPaymentForm({ receipt, onClose }: { receipt: Receipt; onClose: () => void }): ReactNode {
  const [, pay] = useMutation(PayReceipt);
  return (
    <PaymentForm
      {...(receipt.creditedReceiptId === null && { of: 'RECEIPT' as const })} // a supplier's credit has no adjustments
      due={computeDue(receipt)}
      currency={receipt.currency}
      exchangeCurrency={receipt.exchangeCurrency}
      pay={(payment, context) => pay({ id: receipt.id, ...payment }, context)}
      onDone={({ payReceipt: { status } }) => {
        notifySuccess(status === 'PAID' ? t('The receipt is paid.') : t('The payment is recorded.'));
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
