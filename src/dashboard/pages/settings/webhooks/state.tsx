import type { ReactNode } from 'react';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Webhook } from './fields.ts';

/** Whether a webhook is active, and whether its deliveries fail. */
export function WebhookState({
  webhook,
}: {
  webhook: Pick<Webhook, 'active' | 'disabledAt' | 'consecutiveFailures'>;
}): ReactNode {
  const { active, disabledAt, consecutiveFailures } = webhook;
  const [text, color]: [string, string] = disabledAt
    ? ['Deactivated', 'red']
    : !active
      ? ['Paused', 'gray']
      : consecutiveFailures > 0
        ? ['Failing', 'orange']
        : ['Active', 'teal'];
  return <StatusBadge color={color}>{text}</StatusBadge>;
}
