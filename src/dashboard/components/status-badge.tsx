import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** The gray of the dark scheme can't be seen on the badge. */
const visible = (color: string): string => (color === 'gray' ? 'gray.6' : color);

/** A state, by its colour and its name. */
export const StatusBadge = ({ color, children }: { color: string; children: ReactNode }): ReactNode => (
  <Badge variant="dot" color={visible(color)} size="lg" tt="none" fw={500}>
    {children}
  </Badge>
);
