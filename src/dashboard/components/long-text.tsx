import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface Props {
  children: string | null | undefined;
  /** Makes the text a link to a page of the dashboard. */
  to?: string;
  /** Smaller and dimmed, for secondary text below another line. */
  secondary?: boolean;
  /** The number of lines before the text is cut off. */
  lines?: number;
}

/** Text of any length in a table or a list. It breaks anywhere and ends in an ellipsis; the title has the whole text. */
export function LongText({ children, to, secondary = false, lines = 2 }: Props): ReactNode {
  if (!children) return null;
  const common = {
    className: secondary ? 'long secondary' : 'long',
    lineClamp: lines,
    title: children,
    size: secondary ? 'xs' : 'sm',
  } as const;
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
