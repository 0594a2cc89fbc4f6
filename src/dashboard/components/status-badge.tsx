import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** States that somebody has to look at. Only these have a background, so that they are found in a list. */
const exceptions = new Set(['red', 'orange', 'yellow']);

/** The gray of the dark scheme can't be seen as a dot. */
const visible = (color: string): string => (color === 'gray' ? 'gray.6' : color);

interface Props {
  color: string;
  children: ReactNode;
}

/** A state, by its colour and its name. */
export const StatusBadge = ({ color, children }: Props): ReactNode =>
  exceptions.has(color) ? (
    <Badge variant="light" color={color} tt="none" fw={500}>
      {children}
    </Badge>
  ) : (
    <Badge className="quiet-badge" variant="dot" color={visible(color)} tt="none" fw={400}>
      {children}
    </Badge>
  );
