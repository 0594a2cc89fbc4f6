import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { PaymentForm } from '../payments/payment-form.tsx';
import { notifySuccess } from '../../components/toast.ts';
import type { Invoice } from './fields.ts';
import { PayInvoice } from './mutations.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  invoice: Pick<Invoice, 'id' | 'amountDue' | 'currency' | 'exchangeCurrency'>;
  onClose: () => void;
}

export function InvoicePaymentForm({ invoice, onClose }: Props): ReactNode {
  const { id, amountDue, currency, exchangeCurrency } = invoice;
  const [, pay] = useMutation(PayInvoice);
  return (
    <PaymentForm
      of="INVOICE"
      due={amountDue}
      currency={currency}
      exchangeCurrency={exchangeCurrency}
      pay={(payment, context) => pay({ id, ...payment }, context)}
      onDone={({ payInvoice: { status } }) => {
        notifySuccess(status === 'PAID' ? t('The invoice is paid.') : t('The payment is recorded.'));
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
