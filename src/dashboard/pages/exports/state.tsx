import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { count, label, sentence } from '../../format/format.ts';
import { getKeys } from '../../list/list-state.ts';
import type { Export } from './fields.ts';
import { getTitle } from './texts.ts';

const colors: Record<Export['status'], string> = {
  PENDING: 'gray',
  RUNNING: 'blue',
  COMPLETED: 'teal',
  FAILED: 'red',
  CANCELLED: 'gray',
};

export const statuses = getKeys(colors);

export const isUnfinished = ({ status }: Pick<Export, 'status'>): boolean =>
  status === 'PENDING' || status === 'RUNNING';

export const hasExpired = ({ expiresAt }: Pick<Export, 'expiresAt'>): boolean =>
  expiresAt !== null && new Date(expiresAt).getTime() <= Date.now();

/** The state: how far it is, or why it has failed. */
export function ExportState(row: Export): ReactNode {
  const { status, error } = row;
  return (
    <Stack gap={4} align="flex-start" className="state">
      <StatusBadge color={colors[status]}>{label(status)}</StatusBadge>
      {status === 'RUNNING' && <RowProgress row={row} />}
      {error && (
        <LongText secondary lines={4}>
          {sentence(error)}
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
          aria-label={`Progress of ${getTitle(row)}`}
        />
      )}
      <Text size="xs" c="dimmed" className="figure">
        {rows === null ? `${count(processedRows)} rows` : `${count(processedRows)} of ${count(rows)} rows`}
      </Text>
    </>
  );
}
