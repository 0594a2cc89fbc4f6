import { ActionIcon, Button, Group, Paper, Text } from '@mantine/core';
import { XMarkIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { useAnnounce } from '../../components/announce.tsx';
import { t } from '../../i18n/t.ts';
import { useMay } from '../../session/abilities.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkAction, SelectionOptions } from './selection.ts';
import type { Selection } from './use-selection.ts';

interface Props<Row extends { id: string }> {
  options: SelectionOptions<Row>;
  selection: Selection<Row>;
  bar: Ref<HTMLDivElement>;
}

/** The number of selected rows, what they add up to, and what can be done with them. Shown while rows are selected. */
export function SelectionBar<Row extends { id: string }>({ options, selection, bar }: Props<Row>): ReactNode {
  const { rows, isSelecting, clear, select } = selection;
  const keepLeft = (left: string[]): void => (left.length > 0 ? select(left) : clear());
  // The dialog keeps the rows as they were: they change, or leave the page, while the action is done with them.
  const [asked, setAsked] = useState<{ action: BulkAction<Row>; rows: readonly Row[] }>();
  useAnnouncedCount(rows.length);
  return (
    <>
      {(rows.length > 0 || isSelecting) && (
        <Paper
          ref={bar}
          className="selection-bar"
          role="region"
          aria-label={t('Selection')}
          shadow="md"
          radius="md"
          withBorder
        >
          <Group gap="xs" wrap="nowrap" className="selection-count">
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Clear the selection')} onClick={clear}>
              <XMarkIcon width={18} aria-hidden />
            </ActionIcon>
            <Text size="sm" fw={600}>
              {t('{count} selected', { count: rows.length })}
            </Text>
            <Text size="sm" c="dimmed" className="numbers">
              {rows.length > 0 && options.addUp?.(rows)}
            </Text>
          </Group>
          {rows.length > 0 && <Actions options={options} rows={rows} begin={(action) => setAsked({ action, rows })} />}
        </Paper>
      )}
      {asked && <BulkDialog options={options} {...asked} onClose={() => setAsked(undefined)} onEnd={keepLeft} />}
    </>
  );
}

interface ActionsProps<Row> {
  options: SelectionOptions<Row>;
  rows: readonly Row[];
  begin: (action: BulkAction<Row>) => void;
}

/** The actions that the state of some rows allows, and the caller may do. */
function Actions<Row>({ options, rows, begin }: ActionsProps<Row>): ReactNode {
  const may = useMay();
  if (!may) return null;
  const shown = options.actions
    .filter(({ scope }) => may.write(scope))
    .map((action) => ({ action, count: rows.filter(action.isFor).length }))
    .filter(({ count }) => count > 0);
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed" px="xs">
        {t('Nothing can be done with these at once.')}
      </Text>
    );
  return (
    <Group gap="xs" className="selection-actions">
      {shown.map(({ action, count }) => (
        <Button
          key={action.label}
          size="sm"
          variant={action.isRed ? 'default' : 'light'}
          {...(action.isRed && { c: 'red' })}
          leftSection={<action.icon width={18} aria-hidden />}
          onClick={() => begin(action)}
        >
          {count < rows.length ? `${action.label} (${count})` : action.label}
        </Button>
      ))}
    </Group>
  );
}

function useAnnouncedCount(count: number): void {
  const announce = useAnnounce();
  const announced = useRef(count);
  useEffect(() => {
    if (count === announced.current) return;
    announced.current = count;
    announce(t('{count} selected', { count }));
  }, [count, announce]);
}
