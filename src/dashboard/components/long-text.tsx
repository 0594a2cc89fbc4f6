import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface Props {
  children: string | null | undefined;
  /** A page of the dashboard, where the text is a link. */
  to?: string;
  /** Smaller and dimmed, for secondary text below another line. */
  secondary?: boolean;
  /** Lines before the rest is left out. */
  lines?: number;
}

/** Text of any length in a table or a list: breaks anywhere, ends in an ellipsis, and has its whole in the title. */
export function LongText({ children, to, secondary = false, lines = 2 }: Props): ReactNode {
  if (!children) return null;
  const common = { className: 'long', lineClamp: lines, title: children, size: secondary ? 'xs' : 'sm' } as const;
  if (!to) {
    return (
      <Text {...common} {...(secondary && { c: 'dimmed' })}>
        {children}
      </Text>
    );
  }
  return (
    <Anchor component={Link} to={to} fw={500} {...common}>
      {children}
    </Anchor>
  );
}
