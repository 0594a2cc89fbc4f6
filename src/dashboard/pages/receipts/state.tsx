import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { label } from '../../format.ts';
import type { Receipt } from './fields.ts';

const colors: Record<Receipt['status'], string> = { DRAFT: 'gray', BOOKED: 'blue', PAID: 'teal' };

export function ReceiptState({ status }: Pick<Receipt, 'status'>): ReactNode {
  return (
    <Badge variant="dot" color={colors[status]} size="lg" tt="none" fw={500}>
      {label(status)}
    </Badge>
  );
}
