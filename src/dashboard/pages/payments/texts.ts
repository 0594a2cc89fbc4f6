import { count } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';

/** A payment of an invoice or receipt, or a refund of a credit note. */
export type PaymentKind = 'payment' | 'refund';

/** Texts of pages for each kind. */
export const paymentTexts = {
  payment: {
    title: t('Payments'),
    name: t('Payment'),
    newest: (number: number) => t('These are the newest {number} payments.', { number: count(number) }),
    due: (amount: string) => t('{amount} is due', { amount }),
    record: t('Record the payment'),
    undo: t('Undo the payment?'),
    dueAgain: (amount: string) => t('{amount} becomes due again.', { amount }),
    undone: t('The payment is undone.'),
  },
  refund: {
    title: t('Refunds'),
    name: t('Refund'),
    newest: (number: number) => t('These are the newest {number} refunds.', { number: count(number) }),
    due: (amount: string) => t('{amount} is to be refunded', { amount }),
    record: t('Record the refund'),
    undo: t('Undo the refund?'),
    dueAgain: (amount: string) => t('{amount} is to be refunded again.', { amount }),
    undone: t('The refund is undone.'),
  },
} as const satisfies Record<PaymentKind, object>;
