import { t } from '../../i18n/t.ts';
/** A payment of an invoice or receipt, or a refund of a credit note. */
export type PaymentKind = 'payment' | 'refund';

/** Texts of pages for each kind. */
export const paymentTexts = {
  payment: {
    title: t('Payments'),
    name: t('Payment'),
    newest: (count: number) => `These are the newest ${count} payments.`,
    due: (amount: string) => `${amount} is due`,
    record: 'Record the payment',
    undo: 'Undo the payment?',
    dueAgain: (amount: string) => `${amount} becomes due again.`,
    undone: 'The payment is undone.',
  },
  refund: {
    title: t('Refunds'),
    name: t('Refund'),
    newest: (count: number) => `These are the newest ${count} refunds.`,
    due: (amount: string) => `${amount} is to be refunded`,
    record: 'Record the refund',
    undo: 'Undo the refund?',
    dueAgain: (amount: string) => `${amount} is to be refunded again.`,
    undone: 'The refund is undone.',
  },
} as const satisfies Record<PaymentKind, object>;
