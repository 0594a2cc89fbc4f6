import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { label } from '../../format/format.ts';
import { getKeys } from '../../list/list-state.ts';
import type { Invoice } from './fields.ts';
import { t } from '../../i18n/t.ts';

type Props = Pick<Invoice, 'status' | 'isOverdue' | 'amountPaid' | 'amountToRefund'>;

const colors: Record<Invoice['status'], string> = { DRAFT: 'gray', ISSUED: 'blue', PAID: 'teal', CANCELLED: 'gray' };

export const invoiceStatuses = getKeys(colors);

/** Whether an issued invoice is partially paid. */
const isPartPaid = ({ status, amountPaid }: Pick<Invoice, 'status' | 'amountPaid'>): boolean =>
  status === 'ISSUED' && Number(amountPaid) !== 0;

/** An invoice's state: whether an issued one is overdue or partially paid, and whether a refund of a paid one is owed. */
export function InvoiceState(invoice: Props): ReactNode {
  const { status, isOverdue, amountToRefund } = invoice;
  if (amountToRefund !== '0') return <StatusBadge color="orange">{t('Refund due')}</StatusBadge>;
  const partPaid = isPartPaid(invoice);
  const color = isOverdue ? 'red' : partPaid ? 'cyan' : colors[status];
  const text = isOverdue
    ? partPaid
      ? t('Overdue, part-paid')
      : t('Overdue')
    : partPaid
      ? t('Part-paid')
      : label(status);
  return <StatusBadge color={color}>{text}</StatusBadge>;
}
