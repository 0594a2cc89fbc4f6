import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

// The parts of tables whose rows become cards where there is no room for columns; see dashboard.css. The roles are said
// in words, as browsers take them from what isn't laid out as a table.

interface Placed {
  header: string;
  /** Figures stand at the right. */
  align?: 'right';
  width?: number | string;
  /** What a row is known by: its first line, where there is no room for columns. */
  lead?: boolean;
  /** Whether only screen readers need the header. */
  hidden?: boolean;
}

/** The room of a table, which scrolls where it has to. */
export const ResponsiveTable = ({ caption, children }: { caption: string; children: ReactNode }): ReactNode => (
  <div className="rows">
    <div className="rows-scroll" tabIndex={0} role="region" aria-label={caption}>
      {children}
    </div>
  </div>
);

/** A value of a row, which carries its column's name. */
export function Cell({ column, children }: { column: Placed; children: ReactNode }): ReactNode {
  const { header, align, width, lead, hidden } = column;
  return (
    <Table.Td
      role="cell"
      data-label={hidden ? undefined : header}
      data-lead={lead || undefined}
      className={align ? 'numbers' : lead ? 'long-cell' : undefined}
      {...(align && { ta: align })}
      {...(width !== undefined && { w: width })}
    >
      {children}
    </Table.Td>
  );
}
