import { Box, Paper, Skeleton, Table, VisuallyHidden, type MantineBreakpoint } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Unavailable } from './error-boundary.tsx';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** Left out on narrower screens. */
  from?: MantineBreakpoint;
  /** Whether only screen readers need the header. */
  hidden?: boolean;
}

interface Props<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[] | undefined;
  error?: CombinedError | undefined;
  again?: () => void;
  empty?: ReactNode;
}

/** A short list: all of it, without pages. */
export function SimpleTable<Row extends { id: string }>(props: Props<Row>): ReactNode {
  const { caption, columns, rows, error, again, empty } = props;
  if (error && !rows) return <Unavailable error={error} {...(again && { again })} />;
  return (
    <Paper withBorder radius="md" style={{ overflow: 'hidden' }}>
      {rows?.length === 0 ? (
        <Box p="xl">{empty}</Box>
      ) : (
        <Box style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={caption}>
          <Table verticalSpacing="sm" horizontalSpacing="md" aria-busy={!rows}>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ header, hidden, align, from }) => (
                  <Table.Th key={header} scope="col" fz="xs" c="dimmed" {...placed(align, from)}>
                    {hidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows
                ? rows.map((row) => (
                    <Table.Tr key={row.id}>
                      {columns.map(({ header, cell, align, from }) => (
                        <Table.Td key={header} {...placed(align, from)}>
                          {cell(row)}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))
                : [1, 2, 3].map((row) => (
                    <Table.Tr key={row}>
                      {columns.map(({ header, align, from }) => (
                        <Table.Td key={header} {...placed(align, from)}>
                          <Skeleton h={14} my={4} w="70%" />
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
            </Table.Tbody>
          </Table>
        </Box>
      )}
    </Paper>
  );
}

const placed = (align?: 'right', from?: MantineBreakpoint): object => ({
  ...(align && { ta: align }),
  ...(from && { visibleFrom: from }),
});
