import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { label } from '../../format/format.ts';
import { keysOf } from '../../list/list-state.ts';
import type { Invoice } from './fields.ts';

type Props = Pick<Invoice, 'status' | 'isOverdue' | 'amountPaid'>;

const colors: Record<Invoice['status'], string> = { DRAFT: 'gray', ISSUED: 'blue', PAID: 'teal', CANCELLED: 'gray' };

export const invoiceStatuses = keysOf(colors);

/** Whether an issued invoice is partially paid. */
const isPartPaid = ({ status, amountPaid }: Pick<Invoice, 'status' | 'amountPaid'>): boolean =>
  status === 'ISSUED' && Number(amountPaid) !== 0;

/** An invoice's state. For an issued invoice it shows whether it is overdue or partially paid. */
export function InvoiceState(invoice: Props): ReactNode {
  const { status, isOverdue } = invoice;
  const partPaid = isPartPaid(invoice);
  const color = isOverdue ? 'red' : partPaid ? 'cyan' : colors[status];
  const text = isOverdue ? (partPaid ? 'Overdue, part-paid' : 'Overdue') : partPaid ? 'Part-paid' : label(status);
  return <StatusBadge color={color}>{text}</StatusBadge>;
}
