import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { label } from '../../format.ts';
import type { BankTransaction } from './fields.ts';

const colors: Record<BankTransaction['matchStatus'], string> = {
  UNMATCHED: 'orange',
  PARTIALLY_MATCHED: 'yellow',
  MATCHED: 'teal',
  IGNORED: 'gray',
};

export function MatchState({ matchStatus }: Pick<BankTransaction, 'matchStatus'>): ReactNode {
  return (
    <Badge variant="dot" color={colors[matchStatus]} size="lg" tt="none" fw={500}>
      {label(matchStatus)}
    </Badge>
  );
}
