import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { label } from '../../format.ts';
import type { Project } from './fields.ts';

const colors: Record<Project['status'], string> = { ACTIVE: 'blue', COMPLETED: 'teal', ARCHIVED: 'gray' };

export function ProjectState({ status }: Pick<Project, 'status'>): ReactNode {
  return (
    <Badge variant="dot" color={colors[status]} size="lg" tt="none" fw={500}>
      {label(status)}
    </Badge>
  );
}
