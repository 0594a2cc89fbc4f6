import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { label } from '../../format/format.ts';
import { getKeys } from '../../list/list-state.ts';
import type { BankTransaction } from './fields.ts';

const colors: Record<BankTransaction['matchStatus'], string> = {
  UNMATCHED: 'orange',
  PARTIALLY_MATCHED: 'yellow',
  MATCHED: 'teal',
  IGNORED: 'gray',
};

export const matchStatuses = getKeys(colors);

export function MatchState({ matchStatus }: Pick<BankTransaction, 'matchStatus'>): ReactNode {
  return <StatusBadge color={colors[matchStatus]}>{label(matchStatus)}</StatusBadge>;
}
