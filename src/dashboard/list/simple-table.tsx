import { Box, Paper, Skeleton, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Unavailable } from '../errors/error-boundary.tsx';
import { Cell, ResponsiveTable } from './responsive-table.tsx';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** What a row is known by: its first line, where there is no room for columns. */
  lead?: boolean;
  /** Whether only screen readers need the header. */
  hidden?: boolean;
}

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
  if (error && !rows) return <Unavailable error={error} {...(refetch && { refetch })} />;
  return (
    <Paper withBorder radius="md" style={{ overflow: 'hidden' }}>
      {rows?.length === 0 ? (
        <Box p="xl">{empty}</Box>
      ) : (
        <ResponsiveTable caption={caption}>
          <Table className="stack" role="table" verticalSpacing="sm" horizontalSpacing="md" aria-busy={!rows}>
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {columns.map(({ header, hidden, align }) => (
                  <Table.Th
                    key={header}
                    scope="col"
                    role="columnheader"
                    data-plain
                    fz="xs"
                    c="dimmed"
                    {...(align && { ta: align })}
                  >
                    {hidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">
              {rows
                ? rows.map((row) => (
                    <Table.Tr key={row.id} role="row">
                      {columns.map((column) => (
                        <Cell key={column.header} column={column}>
                          {column.cell(row)}
                        </Cell>
                      ))}
                    </Table.Tr>
                  ))
                : [1, 2, 3].map((row) => (
                    <Table.Tr key={row} role="row">
                      {columns.map((column) => (
                        <Cell key={column.header} column={column}>
                          <Skeleton h={14} my={4} w="70%" />
                        </Cell>
                      ))}
                    </Table.Tr>
                  ))}
            </Table.Tbody>
          </Table>
        </ResponsiveTable>
      )}
    </Paper>
  );
}
