import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** A state, by its colour and its name. */
export const StatusBadge = ({ color, children }: { color: string; children: ReactNode }): ReactNode => (
  <Badge variant="dot" color={color} size="lg" tt="none" fw={500}>
    {children}
  </Badge>
);
