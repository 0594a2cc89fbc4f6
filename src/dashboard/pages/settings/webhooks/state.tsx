import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Webhook } from './fields.ts';

/** Whether a webhook gets anything, and whether it takes it. */
export function WebhookState({
  webhook,
}: {
  webhook: Pick<Webhook, 'active' | 'disabledAt' | 'consecutiveFailures'>;
}): ReactNode {
  const { active, disabledAt, consecutiveFailures } = webhook;
  const [text, color] = disabledAt
    ? ['Deactivated', 'red']
    : !active
      ? ['Paused', 'gray']
      : consecutiveFailures > 0
        ? ['Failing', 'orange']
        : ['Active', 'teal'];
  return (
    <Badge variant="dot" color={color} size="lg" tt="none" fw={500} style={{ flexShrink: 0 }}>
      {text}
    </Badge>
  );
}
