import './selection.css';
import { Button, Checkbox, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../i18n/t.ts';
import type { SortableColumn } from '../data-table.tsx';
import type { SelectionOptions } from './selection.ts';
import type { Selection } from './use-selection.ts';

/** All of a cell, or on a phone of a row, does what its checkbox does. */
const target = { label: 'select-target' };

/** The column of checkboxes. A click with Shift selects all rows since the last one. */
export const buildSelectColumn = <Row extends { id: string }>(
  { getName }: SelectionOptions<Row>,
  selection: Selection<Row>,
): SortableColumn<Row> => ({
  header: t('Selection'),
  hidden: true,
  isSelect: true,
  width: 40,
  cell: (row) => (
    <Checkbox
      size="xs"
      classNames={target}
      label={<span />} // where it is tapped
      aria-label={t('Select {name}', { name: getName(row) })}
      checked={selection.has(row)}
      readOnly
      onClick={({ shiftKey }) => selection.toggle(row.id, shiftKey)}
    />
  ),
});

/** Its header selects all rows of the page. */
export const SelectHeading = <Row extends { id: string }>({ selection }: { selection: Selection<Row> }): ReactNode => (
  <Table.Th w={40} scope="col" role="columnheader" data-select>
    <Checkbox
      size="xs"
      classNames={target}
      label={<span />}
      aria-label={t('Select all rows of this page')}
      checked={selection.areAll}
      indeterminate={selection.rows.length > 0 && !selection.areAll}
      readOnly
      onClick={selection.toggleAll}
    />
  </Table.Th>
);

/** A phone's button that shows what selects rows, or hides it again. */
export const SelectMode = <Row extends { id: string }>({ selection }: { selection: Selection<Row> }): ReactNode => {
  const { isSelecting, areAll, setSelecting, toggleAll } = selection;
  return (
    <div className="select-mode">
      {isSelecting && (
        <Button variant="subtle" color="gray" size="compact-xs" onClick={toggleAll}>
          {areAll ? t('None') : t('All')}
        </Button>
      )}
      <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setSelecting(!isSelecting)}>
        {isSelecting ? t('Cancel') : t('Select')}
      </Button>
    </div>
  );
};
