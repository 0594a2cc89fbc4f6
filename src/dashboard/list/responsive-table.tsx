import { Skeleton, Table, VisuallyHidden, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFittingTable } from './fit-table.ts';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right. */
  align?: 'right';
  width?: number | string;
  /** Whether the column identifies the row. On a phone it is the card's first line. */
  lead?: boolean;
  /** Whether only screen readers get the header. */
  hidden?: boolean;
  /** Whether the column is left out on a tablet. */
  wide?: boolean;
  /** The column's place in a row on a phone. If no column has one, a row is a card of all values with their headers. */
  phone?: PhonePlace;
  /** The text that a phone shows in place of the cell, where the header does not explain it: `12 days late`. */
  phoneCell?: (row: Row) => string | false | null;
  /** Whether it selects rows. A phone shows it while it is selecting. */
  isSelect?: boolean;
}

/**
 * A row on a phone has two lines: a title with a value to its right, and below them one or two details with a state to
 * their right. Actions are to the right of both lines.
 */
export type PhonePlace = 'title' | 'value' | 'detail' | 'more' | 'state' | 'actions';

interface Props<Row, Col extends Column<Row>> extends TableProps {
  caption: string;
  columns: Col[];
  /** Undefined while they are loading. */
  rows: readonly Row[] | undefined;
  /** The number of placeholder rows while loading. */
  placeholders?: number;
  /** Renders a header cell. Default: the column's header as text. */
  heading?: (column: Col) => ReactNode;
  isSelected?: (row: Row) => boolean;
  /** Whether a phone shows what selects rows. Then all of a row does. */
  isSelecting?: boolean;
  /** Content above the rows. */
  above?: ReactNode;
}

/**
 * A table whose rows become two lines, or cards, on a narrow screen; see dashboard.css. The link of a row's leading column
 * opens the row wherever it is clicked. Roles are explicit, because browsers drop the
 * implicit ones of elements that are not laid out as a table.
 */
export function ResponsiveTable<Row extends { id: string }, Col extends Column<Row>>(
  props: Props<Row, Col>,
): ReactNode {
  const { caption, columns, rows, placeholders = 3, heading, isSelected, isSelecting, above, ...rest } = props;
  const scroll = useFittingTable(rows);
  const isPlaced = columns.some(({ phone }) => phone);
  return (
    <div className="rows" data-placed={isPlaced || undefined} data-selecting={isSelecting || undefined}>
      {above}
      <div className="rows-scroll" ref={scroll} tabIndex={0} role="region" aria-label={caption}>
        <Table className="stack" role="table" verticalSpacing="sm" horizontalSpacing="md" {...rest}>
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column) => heading?.(column) ?? <PlainHeading key={column.header} column={column} />)}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {rows
              ? rows.map((row) => (
                  <Table.Tr key={row.id} role="row" data-selected={isSelected?.(row) || undefined}>
                    {columns.map((column) => (
                      <Cell key={column.header} column={column}>
                        <Value column={column} row={row} />
                      </Cell>
                    ))}
                  </Table.Tr>
                ))
              : Array.from({ length: placeholders }, (_, row) => (
                  <Table.Tr key={row} role="row">
                    {columns.map((column) => (
                      <Cell key={column.header} column={column}>
                        {!column.isSelect && <Skeleton h={14} my={4} w={`${55 + ((row * 13) % 40)}%`} />}
                      </Cell>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  );
}

function Value<Row>({ column, row }: { column: Column<Row>; row: Row }): ReactNode {
  if (!column.phoneCell) return column.cell(row);
  const text = column.phoneCell(row);
  return (
    <>
      <span className="wide-only">{column.cell(row)}</span>
      <span className="phone-only" title={text || undefined}>
        {text}
      </span>
    </>
  );
}

type ColumnLayout = Omit<Column<never>, 'cell' | 'phoneCell'>;

/** A column's alignment, width, and place on narrow screens, as props of its cells. */
export const placement = ({ align, width, wide, phone, isSelect }: ColumnLayout): object => ({
  'data-wide': wide || undefined,
  'data-phone': phone,
  'data-select': isSelect || undefined,
  ...(align && { ta: align }),
  ...(width !== undefined && { w: width }),
});

function PlainHeading({ column }: { column: ColumnLayout }): ReactNode {
  const { header, hidden } = column;
  return (
    <Table.Th {...placement(column)} scope="col" role="columnheader" data-plain fz="xs" c="dimmed">
      {hidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
    </Table.Th>
  );
}

/** A value of a row. In a card it shows its column's header. */
function Cell({ column, children }: { column: ColumnLayout; children: ReactNode }): ReactNode {
  const { header, align, lead, hidden } = column;
  return (
    <Table.Td
      role="cell"
      data-label={hidden ? undefined : header}
      data-lead={lead || undefined}
      className={align ? 'numbers' : lead ? 'long-cell' : undefined}
      {...placement(column)}
    >
      {children}
    </Table.Td>
  );
}
