import { Box, Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { LoadError } from '../errors/error-boundary.tsx';
import { ResponsiveTable, type Column } from './responsive-table.tsx';

interface Props<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[] | undefined;
  error?: CombinedError | undefined;
  refetch?: () => void;
  empty?: ReactNode;
}

/** A short list: all of it, without pages. */
export function SimpleTable<Row extends { id: string }>(props: Props<Row>): ReactNode {
  const { caption, columns, rows, error, refetch, empty } = props;
  if (error && !rows) return <LoadError error={error} refetch={refetch} />;
  return (
    <Paper withBorder radius="md" bg="var(--surface)" style={{ overflow: 'hidden' }}>
      {rows?.length === 0 ? (
        <Box p="xl">{empty}</Box>
      ) : (
        <ResponsiveTable caption={caption} columns={columns} rows={rows} aria-busy={!rows} />
      )}
    </Paper>
  );
}
