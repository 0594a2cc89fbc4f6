import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { label } from '../../format/format.ts';
import { getKeys } from '../../list/list-state.ts';
import type { Receipt } from './fields.ts';

const colors: Record<Receipt['status'], string> = { DRAFT: 'gray', BOOKED: 'blue', PAID: 'teal', REVERSED: 'gray' };

export const receiptStatuses = getKeys(colors);

export function ReceiptState({ status }: Pick<Receipt, 'status'>): ReactNode {
  return <StatusBadge color={colors[status]}>{label(status)}</StatusBadge>;
}
