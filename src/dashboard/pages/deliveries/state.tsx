import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { EnumOf } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';

export type State = EnumOf<'DeliveryState'>;

/** The label and colour of each state. */
export const states: Record<State, { label: string; color: string }> = {
  DELIVERED: { label: t('Delivered'), color: 'teal' },
  WAITING: { label: t('Waiting'), color: 'blue' },
  FAILED: { label: t('Failed'), color: 'red' },
  SET_ASIDE: { label: t('Set aside'), color: 'gray' },
};

export function DeliveryState({ state, attempts }: { state: State; attempts: number }): ReactNode {
  const { label, color } = states[state];
  const retrying = state === 'WAITING' && attempts > 0;
  return <StatusBadge color={retrying ? 'orange' : color}>{retrying ? t('Retrying') : label}</StatusBadge>;
}
