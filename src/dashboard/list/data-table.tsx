import { ActionIcon, Box, Group, Paper, Skeleton, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import {
  ChevronDoubleLeftIcon,
  ChevronDownIcon,
  ChevronLeftIcon,
  ChevronRightIcon,
  ChevronUpDownIcon,
  ChevronUpIcon,
} from '@heroicons/react/24/outline';
import { useEffect, useRef, type ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { count } from '../format/format.ts';
import { pageSize, type ListState } from './list-state.ts';
import { useAnnounce } from '../components/announce.tsx';
import { Cell, ResponsiveTable } from './responsive-table.tsx';
import { Unavailable } from '../errors/error-boundary.tsx';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** A field of the list's `orderBy`, where it can be sorted by this. */
  sort?: string;
  /** Figures stand at the right. */
  align?: 'right';
  width?: number | string;
  /** What a row is known by: its first line, where there is no room for columns. */
  lead?: boolean;
  /** Whether only screen readers need the header. */
  hidden?: boolean;
}

interface Connection<Row> {
  nodes: readonly Row[];
  totalCount: number;
  pageInfo: {
    startCursor: string | null;
    endCursor: string | null;
    hasNextPage: boolean;
    hasPreviousPage: boolean;
  };
}

interface Props<Row> {
  /** What the table lists: `Invoices`. */
  caption: string;
  columns: Column<Row>[];
  list: Pick<ListState<never>, 'sort' | 'sortBy' | 'page' | 'goToPage'>;
  /** What urql answered. */
  connection: Connection<Row> | undefined;
  fetching: boolean;
  error?: CombinedError | undefined;
  refetch?: () => void;
  /** What to say, and to do, where there are none. */
  empty: ReactNode;
}

/** A page of a list. Rows keep their place while the next ones are fetched. */
export function DataTable<Row extends { id: string }>(props: Props<Row>): ReactNode {
  const { caption, columns, list, connection, fetching, error, refetch, empty } = props;
  const announce = useAnnounce();
  const total = connection?.totalCount;
  const told = useRef(total);
  useEffect(() => {
    if (fetching || total === undefined || told.current === total) return;
    if (told.current !== undefined) announce(`${caption}: ${count(total)}`);
    told.current = total;
  }, [fetching, total, caption, announce]);

  if (error && !connection) return <Unavailable error={error} refetch={refetch} />;
  return (
    <Paper withBorder radius="md" style={{ overflow: 'hidden' }}>
      <div className="busy" data-on={fetching || undefined} />
      {connection?.nodes.length === 0 ? (
        <Box p="xl">{empty}</Box>
      ) : (
        <ResponsiveTable caption={caption}>
          <Table
            className="stack"
            role="table"
            verticalSpacing="sm"
            horizontalSpacing="sm"
            highlightOnHover
            highlightOnHoverColor="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))"
            aria-busy={fetching}
          >
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {columns.map((column) => (
                  <Heading key={column.header} column={column} list={list} />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">
              {connection
                ? connection.nodes.map((row) => (
                    <Table.Tr key={row.id} role="row">
                      {columns.map((column) => (
                        <Cell key={column.header} column={column}>
                          {column.cell(row)}
                        </Cell>
                      ))}
                    </Table.Tr>
                  ))
                : Array.from({ length: 8 }, (_, row) => (
                    <Table.Tr key={row} role="row">
                      {columns.map((column) => (
                        <Cell key={column.header} column={column}>
                          <Skeleton h={14} my={4} w={`${55 + ((row * 13) % 40)}%`} />
                        </Cell>
                      ))}
                    </Table.Tr>
                  ))}
            </Table.Tbody>
          </Table>
        </ResponsiveTable>
      )}
      <Pagination list={list} connection={connection} order={orderOf(list.sort, columns)} />
    </Paper>
  );
}

const placed = <Row,>({ align, width }: Column<Row>): object => ({
  ...(align && { ta: align }),
  ...(width !== undefined && { w: width }),
});

function Heading<Row>({ column, list }: { column: Column<Row>; list: Props<Row>['list'] }): ReactNode {
  const { header, sort } = column;
  if (!sort) {
    return (
      <Table.Th {...placed(column)} scope="col" role="columnheader" data-plain fz="xs" c="dimmed">
        {column.hidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
      </Table.Th>
    );
  }
  const direction = list.sort?.field === sort ? list.sort.direction : undefined;
  const Icon = direction ? (direction === 'ASC' ? ChevronUpIcon : ChevronDownIcon) : ChevronUpDownIcon;
  const sorted = direction && (direction === 'ASC' ? 'ascending' : 'descending');
  return (
    <Table.Th {...placed(column)} scope="col" role="columnheader" aria-sort={sorted ?? 'none'}>
      <UnstyledButton onClick={() => list.sortBy(sort)} fz="xs" fw={700} c={direction ? undefined : 'dimmed'}>
        <Group component="span" gap={4} wrap="nowrap" justify={column.align === 'right' ? 'flex-end' : 'flex-start'}>
          {header}
          <Icon width={14} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}

/** What a list is ordered by, in words. */
function orderOf<Row>(sort: Props<Row>['list']['sort'], columns: Column<Row>[]): string {
  const header = sort && columns.find((column) => column.sort === sort.field)?.header;
  if (header === undefined) return 'Newest first';
  return `Ordered by ${header}, ${sort?.direction === 'ASC' ? 'ascending' : 'descending'}`;
}

function Pagination<Row>({
  list,
  connection,
  order,
}: Pick<Props<Row>, 'list' | 'connection'> & { order: string }): ReactNode {
  const { totalCount = 0, nodes = [], pageInfo } = connection ?? {};
  const before = (list.page - 1) * pageSize;
  const range =
    nodes.length > 0 ? `${count(before + 1)} to ${count(before + nodes.length)} of ${count(totalCount)}` : '';
  const { endCursor, startCursor } = pageInfo ?? {};
  const buttons = [
    { label: 'First page', icon: ChevronDoubleLeftIcon, to: pageInfo?.hasPreviousPage ? 'first' : undefined },
    {
      label: 'Previous page',
      icon: ChevronLeftIcon,
      to: pageInfo?.hasPreviousPage && startCursor ? { before: startCursor } : undefined,
    },
    {
      label: 'Next page',
      icon: ChevronRightIcon,
      to: pageInfo?.hasNextPage && endCursor ? { after: endCursor } : undefined,
    },
  ] as const;
  return (
    <Group
      justify="space-between"
      px="md"
      h={48}
      style={{ borderTop: '1px solid var(--table-border-color, var(--mantine-color-default-border))' }}
    >
      <Text size="sm" c="dimmed" className="numbers">
        {range}
      </Text>
      <Text size="sm" c="dimmed">
        {nodes.length > 1 && order}
      </Text>
      <Group gap={4} role="group" aria-label="Pages">
        {buttons.map(({ label, icon: Icon, to }) => (
          <ActionIcon
            key={label}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={label}
            disabled={!to}
            onClick={() => list.goToPage(to === 'first' ? undefined : to)}
          >
            <Icon width={18} aria-hidden />
          </ActionIcon>
        ))}
      </Group>
    </Group>
  );
}
