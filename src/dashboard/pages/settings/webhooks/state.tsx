import type { ReactNode } from 'react';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Webhook } from './fields.ts';
import { t } from '../../../i18n/t.ts';

/** Whether a webhook is active, and whether its deliveries fail. */
export function WebhookState({
  webhook,
}: {
  webhook: Pick<Webhook, 'active' | 'disabledAt' | 'consecutiveFailures'>;
}): ReactNode {
  const { active, disabledAt, consecutiveFailures } = webhook;
  const [text, color]: [string, string] = disabledAt
    ? [t('Deactivated'), 'red']
    : !active
      ? [t('Paused'), 'gray']
      : consecutiveFailures > 0
        ? [t('Failing'), 'orange']
        : [t('Active'), 'teal'];
  return <StatusBadge color={color}>{text}</StatusBadge>;
}
