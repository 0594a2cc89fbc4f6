import {
  ActionIcon,
  Box,
  Group,
  Paper,
  Skeleton,
  Table,
  Text,
  UnstyledButton,
  type MantineBreakpoint,
} from '@mantine/core';
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
import { count } from '../format.ts';
import { pageSize, type ListState } from '../list-state.ts';
import { useAnnounce } from './announce.tsx';
import { Unavailable } from './error-boundary.tsx';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** A field of the list's `orderBy`, where it can be sorted by this. */
  sort?: string;
  /** Figures stand at the right. */
  align?: 'right';
  /** Left out on narrower screens. */
  from?: MantineBreakpoint;
  width?: number | string;
}

export interface Connection<Row> {
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
  list: Pick<ListState<never>, 'sort' | 'sortBy' | 'page' | 'turn'>;
  /** What urql answered. */
  connection: Connection<Row> | undefined;
  fetching: boolean;
  error?: CombinedError | undefined;
  again?: () => void;
  /** What to say, and to do, where there are none. */
  empty: ReactNode;
}

/** A page of a list. Rows keep their place while the next ones are fetched. */
export function DataTable<Row extends { id: string }>(props: Props<Row>): ReactNode {
  const { caption, columns, list, connection, fetching, error, again, empty } = props;
  const announce = useAnnounce();
  const total = connection?.totalCount;
  const told = useRef(total);
  useEffect(() => {
    if (fetching || total === undefined || told.current === total) return;
    if (told.current !== undefined) announce(`${caption}: ${count(total)}`);
    told.current = total;
  }, [fetching, total, caption, announce]);

  if (error && !connection) return <Unavailable error={error} again={again} />;
  return (
    <Paper withBorder radius="md" style={{ overflow: 'hidden' }}>
      <div className="busy" data-on={fetching || undefined} />
      {connection?.nodes.length === 0 ? (
        <Box p="xl">{empty}</Box>
      ) : (
        <Box style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={caption}>
          <Table verticalSpacing="sm" horizontalSpacing="sm" highlightOnHover aria-busy={fetching}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Heading key={column.header} column={column} list={list} />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {connection
                ? connection.nodes.map((row) => (
                    <Table.Tr key={row.id}>
                      {columns.map((column) => (
                        <Table.Td key={column.header} {...placed(column)}>
                          {column.cell(row)}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))
                : Array.from({ length: 8 }, (_, row) => (
                    <Table.Tr key={row}>
                      {columns.map((column) => (
                        <Table.Td key={column.header} {...placed(column)}>
                          <Skeleton h={14} my={4} w={`${55 + ((row * 13) % 40)}%`} />
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
            </Table.Tbody>
          </Table>
        </Box>
      )}
      <Turn list={list} connection={connection} />
    </Paper>
  );
}

function placed<Row>({ align, from, width }: Column<Row>): object {
  return {
    ...(align && { ta: align, className: 'numbers' }),
    ...(from && { visibleFrom: from }),
    ...(width !== undefined && { w: width }),
  };
}

function Heading<Row>({ column, list }: { column: Column<Row>; list: Props<Row>['list'] }): ReactNode {
  const { header, sort } = column;
  if (!sort) {
    return (
      <Table.Th {...placed(column)} scope="col" fz="xs" c="dimmed">
        {header}
      </Table.Th>
    );
  }
  const direction = list.sort?.field === sort ? list.sort.direction : undefined;
  const Icon = direction ? (direction === 'ASC' ? ChevronUpIcon : ChevronDownIcon) : ChevronUpDownIcon;
  const sorted = direction && (direction === 'ASC' ? 'ascending' : 'descending');
  return (
    <Table.Th {...placed(column)} scope="col" aria-sort={sorted ?? 'none'}>
      <UnstyledButton onClick={() => list.sortBy(sort)} fz="xs" fw={700} c={direction ? undefined : 'dimmed'}>
        <Group component="span" gap={4} wrap="nowrap" justify={column.align === 'right' ? 'flex-end' : 'flex-start'}>
          {header}
          <Icon width={14} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}

function Turn<Row>({ list, connection }: Pick<Props<Row>, 'list' | 'connection'>): ReactNode {
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
      <Group gap={4} role="group" aria-label="Pages">
        {buttons.map(({ label, icon: Icon, to }) => (
          <ActionIcon
            key={label}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={label}
            disabled={!to}
            onClick={() => list.turn(to === 'first' ? undefined : to)}
          >
            <Icon width={18} aria-hidden />
          </ActionIcon>
        ))}
      </Group>
    </Group>
  );
}
