import { ActionIcon, Box, Group, Paper, Table, Text, UnstyledButton } from '@mantine/core';
import {
  ChevronDoubleLeftIcon,
  ChevronDownIcon,
  ChevronLeftIcon,
  ChevronRightIcon,
  ChevronUpDownIcon,
  ChevronUpIcon,
} from '@heroicons/react/24/outline';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { useAnnounce } from '../components/announce.tsx';
import { LoadError } from '../errors/error-boundary.tsx';
import { count } from '../format/format.ts';
import { pageSize, usePageOfRows, type ListState } from './list-state.ts';
import { placement, ResponsiveTable, type Column } from './responsive-table.tsx';
import { t } from '../i18n/t.ts';
import { DensityButton, useDensity } from './density.tsx';
import { useRowKeys } from './row-keys.ts';
import { buildSelectColumn, SelectHeading, SelectMode } from './selection/select-column.tsx';
import { SelectionBar } from './selection/selection-bar.tsx';
import type { SelectionOptions } from './selection/selection.ts';
import { useSelection } from './selection/use-selection.ts';

export interface SortableColumn<Row, Field extends string = string> extends Column<Row> {
  /** The field of the list's `orderBy`, if rows can be sorted by this column. */
  sort?: Field;
}

export interface ListConnection<Row> {
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
  /** The rows' name: `Invoices`. */
  caption: string;
  columns: SortableColumn<Row>[];
  list: ListState<never>;
  /** Undefined while it is loading. */
  connection: ListConnection<Row> | undefined;
  fetching: boolean;
  error?: CombinedError | undefined;
  refetch?: () => void;
  /** Replaces an empty list. */
  empty: ReactNode;
  /** The actions on several rows. Undefined: rows can't be selected. */
  selection?: SelectionOptions<Row> | undefined;
}

/** A page of a list. Its rows stay while the next page is loading. */
export function DataTable<Row extends { id: string }>(props: Props<Row>): ReactNode {
  const { caption, columns, list, connection, fetching, error, refetch, empty, selection: options } = props;
  const table = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const rows = connection?.nodes;
  const selection = useSelection(JSON.stringify([list.filters, list.sort, list.variables]), rows);
  useRowKeys({ table, bar, rows, selection: options && selection });
  const announce = useAnnounce();
  const [density] = useDensity();
  const total = connection?.totalCount;
  const announced = useRef(total);
  useEffect(() => {
    if (fetching || total === undefined || announced.current === total) return;
    if (announced.current !== undefined) announce(`${caption}: ${count(total)}`);
    announced.current = total;
  }, [fetching, total, caption, announce]);

  // The rows of a page may have been deleted: the list has others.
  const { after, before } = list.variables;
  const isEmptied = rows?.length === 0 && !fetching && (after ?? before) !== undefined;
  const openFirstPage = useEffectEvent(() => list.goToPage(undefined, true));
  useEffect(() => {
    if (isEmptied) openFirstPage();
  }, [isEmptied]);

  if (error && !connection) return <LoadError error={error} refetch={refetch} />;
  return (
    <>
      <Paper
        withBorder
        radius="md"
        bg="var(--surface)"
        style={{ overflow: 'hidden' }}
        data-density={density}
        ref={table}
      >
        <div className="busy" data-on={fetching || undefined} />
        {rows?.length === 0 ? (
          <Box p="xl">{empty}</Box>
        ) : (
          <ResponsiveTable
            caption={caption}
            columns={options ? [buildSelectColumn(options, selection), ...columns] : columns}
            rows={rows}
            placeholders={8}
            heading={(column) =>
              column.isSelect ? (
                <SelectHeading key={column.header} selection={selection} />
              ) : (
                column.sort && <SortHeading key={column.header} column={column} list={list} />
              )
            }
            isSelected={selection.has}
            isSelecting={selection.isSelecting}
            above={options && <SelectMode selection={selection} />}
            horizontalSpacing="sm"
            highlightOnHover
            highlightOnHoverColor="var(--row-focused)"
            aria-busy={fetching}
          />
        )}
        {(rows?.length !== 0 || connection?.pageInfo.hasPreviousPage) && (
          <Pagination list={list} connection={connection} order={buildOrder(list.sort, columns)} />
        )}
      </Paper>
      {options && <SelectionBar options={options} selection={selection} bar={bar} />}
    </>
  );
}

interface HeadingProps {
  column: Omit<SortableColumn<never>, 'cell' | 'phoneCell'>;
  list: ListState<never>;
}

/** A header cell that sorts the list. */
function SortHeading({ column, list }: HeadingProps): ReactNode {
  const { header, sort = '', align } = column;
  const direction = list.sort?.field === sort ? list.sort.direction : undefined;
  const Icon = direction ? (direction === 'ASC' ? ChevronUpIcon : ChevronDownIcon) : ChevronUpDownIcon;
  const sorted = direction && (direction === 'ASC' ? 'ascending' : 'descending');
  return (
    <Table.Th {...placement(column)} scope="col" role="columnheader" aria-sort={sorted ?? 'none'}>
      <UnstyledButton onClick={() => list.sortBy(sort)} fz="xs" fw={700} c={direction ? undefined : 'dimmed'}>
        <Group component="span" gap={4} wrap="nowrap" justify={align === 'right' ? 'flex-end' : 'flex-start'}>
          {header}
          <Icon width={14} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}

/** Describes a list's order. */
function buildOrder<Row>(sort: ListState<never>['sort'], columns: SortableColumn<Row>[]): string {
  const header = sort && columns.find((column) => column.sort === sort.field)?.header;
  if (header === undefined) return t('Newest first');
  return sort?.direction === 'ASC'
    ? t('Ordered by {header}, ascending', { header })
    : t('Ordered by {header}, descending', { header });
}

function Pagination<Row>({
  list,
  connection,
  order,
}: Pick<Props<Row>, 'list' | 'connection'> & { order: string }): ReactNode {
  const { totalCount = 0, nodes = [], pageInfo } = connection ?? {};
  const page = usePageOfRows(connection, list);
  const before = (page - 1) * pageSize;
  const range =
    nodes.length > 0
      ? t('{first} to {last} of {total}', {
          first: count(before + 1),
          last: count(before + nodes.length),
          total: count(totalCount),
        })
      : '';
  const { endCursor, startCursor } = pageInfo ?? {};
  const buttons = [
    { label: t('First page'), icon: ChevronDoubleLeftIcon, to: pageInfo?.hasPreviousPage ? 'first' : undefined },
    {
      label: t('Previous page'),
      icon: ChevronLeftIcon,
      to: pageInfo?.hasPreviousPage && startCursor ? { before: startCursor, page: page - 1 } : undefined,
    },
    {
      label: t('Next page'),
      icon: ChevronRightIcon,
      to: pageInfo?.hasNextPage && endCursor ? { after: endCursor, page: page + 1 } : undefined,
    },
  ] as const;
  return (
    <Group
      justify="space-between"
      wrap="nowrap"
      px="sm"
      h={48}
      style={{ borderTop: '1px solid var(--table-border-color, var(--mantine-color-default-border))' }}
    >
      <Text size="sm" c="dimmed" className="numbers">
        {range}
      </Text>
      <Text size="sm" c="dimmed" visibleFrom="sm">
        {nodes.length > 1 && order}
      </Text>
      <Group gap={4} role="group" aria-label={t('Pages')}>
        <DensityButton />
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
