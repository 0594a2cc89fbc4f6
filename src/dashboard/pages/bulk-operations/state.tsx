import { Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { count } from '../../format/format.ts';
import type { EnumOf } from '../../graphql.ts';
import { getKeys } from '../../list/list-state.ts';
import type { BulkOperation } from './fields.ts';
import { t } from '../../i18n/t.ts';

/** The label and colour of each status. */
const states: Record<BulkOperation['status'], { label: string; color: string }> = {
  PENDING: { label: t('Pending'), color: 'gray' },
  RUNNING: { label: t('Running'), color: 'blue' },
  COMPLETED: { label: t('Completed'), color: 'teal' },
  FAILED: { label: t('Failed'), color: 'red' },
  CANCELLED: { label: t('Cancelled_job'), color: 'gray' },
};

export const statuses = getKeys(states);
export const statusOptions = statuses.map((value) => ({ value, label: states[value].label }));

const actions: Record<EnumOf<'BulkAction'>, string> = {
  CREATE: t('Create'),
  UPDATE: t('Update'),
  UPSERT: t('Create or update'),
  DELETE: t('Delete'),
};

const whole: EnumOf<'BulkAction'>[] = ['CREATE', 'UPDATE', 'UPSERT', 'DELETE'];
const fixed: EnumOf<'BulkAction'>[] = ['CREATE', 'DELETE'];

/** The actions on each resource. */
const actionsByResource: Record<EnumOf<'BulkResource'>, EnumOf<'BulkAction'>[]> = {
  CUSTOMERS: whole,
  PROJECTS: whole,
  INVOICES: fixed,
  RECEIPTS: fixed,
  TIME_ENTRIES: fixed,
};

export const resources = getKeys(actionsByResource);
export const actionOptions = (resource: EnumOf<'BulkResource'>) =>
  actionsByResource[resource].map((value) => ({ value, label: actions[value] }));

const resourceNames: Record<EnumOf<'BulkResource'>, string> = {
  CUSTOMERS: t('customers'),
  PROJECTS: t('projects'),
  INVOICES: t('invoices'),
  RECEIPTS: t('receipts'),
  TIME_ENTRIES: t('time entries'),
};

const titles: Record<EnumOf<'BulkAction'>, (names: string) => string> = {
  CREATE: (names) => t('Create {resources}', { resources: names }),
  UPDATE: (names) => t('Update {resources}', { resources: names }),
  UPSERT: (names) => t('Create or update {resources}', { resources: names }),
  DELETE: (names) => t('Delete {resources}', { resources: names }),
};

/** `Create customers`. */
export const getTitle = ({ action, resource }: Pick<BulkOperation, 'action' | 'resource'>): string =>
  titles[action](resourceNames[resource]);

export const isUnfinished = ({ status }: Pick<BulkOperation, 'status'>): boolean =>
  status === 'PENDING' || status === 'RUNNING';

export const BulkOperationState = ({ status }: Pick<BulkOperation, 'status'>): ReactNode => (
  <StatusBadge color={states[status].color}>{states[status].label}</StatusBadge>
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
          aria-label={t('Progress of {operation}', { operation: getTitle(operation) })}
        />
      )}
      <Text size="sm" span style={{ whiteSpace: 'nowrap' }}>
        {t('{done} of {total}', { done: count(processedLines), total: count(lines) })}
      </Text>
    </Group>
  );
}
