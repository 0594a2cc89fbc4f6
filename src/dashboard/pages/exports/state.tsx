import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { count } from '../../format/format.ts';
import { saySentence } from '../../errors/server-sentences.ts';
import { getKeys } from '../../list/list-state.ts';
import type { Export } from './fields.ts';
import { getTitle } from './texts.ts';
import { t } from '../../i18n/t.ts';

const colors: Record<Export['status'], string> = {
  PENDING: 'gray',
  RUNNING: 'blue',
  COMPLETED: 'teal',
  FAILED: 'red',
  CANCELLED: 'gray',
};

export const statuses = getKeys(colors);

export const statusLabels: Record<Export['status'], string> = {
  PENDING: t('Pending'),
  RUNNING: t('Running'),
  COMPLETED: t('Completed'),
  FAILED: t('Failed'),
  CANCELLED: t('Cancelled_job'), // an invoice is cancelled by another word in German
};

export const isUnfinished = ({ status }: Pick<Export, 'status'>): boolean =>
  status === 'PENDING' || status === 'RUNNING';

export const hasExpired = ({ expiresAt }: Pick<Export, 'expiresAt'>): boolean =>
  expiresAt !== null && new Date(expiresAt).getTime() <= Date.now();

/** The state: how far it is, or why it has failed. */
export function ExportState(row: Export): ReactNode {
  const { status, error } = row;
  return (
    <Stack gap={4} align="flex-start" className="state">
      <StatusBadge color={colors[status]}>{statusLabels[status]}</StatusBadge>
      {status === 'RUNNING' && <RowProgress row={row} />}
      {error && (
        <LongText secondary lines={4}>
          {saySentence(error)}
        </LongText>
      )}
    </Stack>
  );
}

/** Without a bar until the rows are counted. */
function RowProgress({ row }: { row: Export }): ReactNode {
  const { rows, processedRows } = row;
  return (
    <>
      {rows !== null && (
        <Progress
          w={140}
          value={(Math.min(processedRows, rows) / Math.max(rows, 1)) * 100} // some may have been added since
          aria-label={t('Progress of {name}', { name: getTitle(row) })}
        />
      )}
      <Text size="xs" c="dimmed" className="figure">
        {rows === null
          ? t('{count} rows', { count: processedRows })
          : t('{done} of {total} rows', { done: count(processedRows), total: count(rows) })}
      </Text>
    </>
  );
}
