import { Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { count, label } from '../../format/format.ts';
import type { EnumOf } from '../../graphql.ts';
import { getKeys } from '../../list/list-state.ts';
import type { BulkOperation } from './fields.ts';

const colors: Record<BulkOperation['status'], string> = {
  PENDING: 'gray',
  RUNNING: 'blue',
  COMPLETED: 'teal',
  FAILED: 'red',
  CANCELLED: 'gray',
};

export const statuses = getKeys(colors);

const actions: Record<EnumOf<'BulkAction'>, string> = {
  CREATE: 'Create',
  UPDATE: 'Update',
  UPSERT: 'Create or update',
  DELETE: 'Delete',
};

const whole: EnumOf<'BulkAction'>[] = ['CREATE', 'UPDATE', 'UPSERT', 'DELETE'];
const fixed: EnumOf<'BulkAction'>[] = ['CREATE', 'DELETE'];

/** What can be done with each resource. */
const actionsOf: Record<EnumOf<'BulkResource'>, EnumOf<'BulkAction'>[]> = {
  CUSTOMERS: whole,
  PROJECTS: whole,
  INVOICES: fixed,
  RECEIPTS: fixed,
  TIME_ENTRIES: fixed,
};

export const resources = getKeys(actionsOf);
export const actionOptions = (resource: EnumOf<'BulkResource'>) =>
  actionsOf[resource].map((value) => ({ value, label: actions[value] }));

/** `Create customers`. */
export const getTitle = ({ action, resource }: Pick<BulkOperation, 'action' | 'resource'>): string =>
  `${actions[action]} ${label(resource).toLowerCase()}`;

export const isUnfinished = ({ status }: Pick<BulkOperation, 'status'>): boolean =>
  status === 'PENDING' || status === 'RUNNING';

export const BulkOperationState = ({ status }: Pick<BulkOperation, 'status'>): ReactNode => (
  <StatusBadge color={colors[status]}>{label(status)}</StatusBadge>
);

/** How many lines are done. */
export function LineProgress({ operation }: { operation: BulkOperation }): ReactNode {
  const { lines, processedLines } = operation;
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {isUnfinished(operation) && (
        <Progress
          w={80}
          value={lines === 0 ? 0 : (processedLines / lines) * 100}
          aria-label={`Progress of ${getTitle(operation).toLowerCase()}`}
        />
      )}
      <Text size="sm" span style={{ whiteSpace: 'nowrap' }}>
        {count(processedLines)} of {count(lines)}
      </Text>
    </Group>
  );
}
