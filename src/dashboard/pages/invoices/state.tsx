import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { label } from '../../format.ts';
import type { Invoice } from './fields.ts';

const colors: Record<Invoice['status'], string> = { DRAFT: 'gray', ISSUED: 'blue', PAID: 'teal', CANCELLED: 'gray' };

/** Where an invoice stands; overdue is what matters most of one that is issued. */
export function InvoiceState({ status, isOverdue }: Pick<Invoice, 'status' | 'isOverdue'>): ReactNode {
  return (
    <Badge variant="dot" color={isOverdue ? 'red' : colors[status]} size="lg" tt="none" fw={500}>
      {isOverdue ? 'Overdue' : label(status)}
    </Badge>
  );
}
