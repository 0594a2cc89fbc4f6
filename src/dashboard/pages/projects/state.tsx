import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { label } from '../../format/format.ts';
import { getKeys } from '../../list/list-state.ts';
import type { Project } from './fields.ts';

const colors: Record<Project['status'], string> = { ACTIVE: 'blue', COMPLETED: 'teal', ARCHIVED: 'gray' };

export const projectStatuses = getKeys(colors);

export function ProjectState({ status }: Pick<Project, 'status'>): ReactNode {
  return <StatusBadge color={colors[status]}>{label(status)}</StatusBadge>;
}
