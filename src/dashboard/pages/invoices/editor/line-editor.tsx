import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useEventListener, useHotkeys } from '@mantine/hooks';
import { PlusIcon } from '@heroicons/react/24/outline';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { Trans } from '../../../i18n/trans.ts';
import { newLine, type InvoiceValues } from './invoice-values.ts';
import { Line } from './line.tsx';
import { handleLineKey, type Column, type LineKeys } from './line-keys.ts';
import { t } from '../../../i18n/t.ts';

interface Props {
  form: UseFormReturnType<InvoiceValues>;
  /** The total of each line, computed by the server. Undefined while a line has no valid numbers. */
  lineTotals: readonly string[] | undefined;
  currency: string;
  /** The field that gets the focus at first: `items.0.vatCategory`. */
  focused: string | undefined;
}

interface Removed {
  at: number;
  line: InvoiceValues['items'][number];
}

/** Adds, edits, removes, and reorders the lines of an invoice. */
export function LineEditor({ form, lineTotals, currency, focused }: Props): ReactNode {
  const lines = form.values.items;
  const [removed, setRemoved] = useState<Removed>();
  const addButton = useRef<HTMLButtonElement>(null);
  /** The cell that gets the focus once the changed lines are shown. */
  const [next, setNext] = useState<{ key: string; column: Column }>();
  const focus = (at: number, column: Column): void => {
    const input: HTMLInputElement | null = form.getInputNode(`items.${at}.${column}`);
    input?.focus();
    input?.select();
  };
  const focusNext = useEffectEvent(({ key, column }: { key: string; column: Column }) =>
    focus(
      form.getValues().items.findIndex((line) => line.key === key),
      column,
    ),
  );
  useEffect(() => {
    if (next) focusNext(next);
  }, [next]);
  const insert = (line: Removed['line'], at: number): void => {
    form.insertListItem('items', line, at);
    setNext({ key: line.key, column: 'title' });
  };
  const [added, setAdded] = useState<string>();
  const addAfter = (at: number): void => {
    const line = newLine(lines[at]);
    insert(line, at + 1);
    setAdded(line.key);
  };
  const move = (at: number, by: -1 | 1): void => {
    if (lines[at + by]) form.reorderListItem('items', { from: at, to: at + by });
  };
  const remove = (at: number): void => {
    const line = lines[at];
    if (line) setRemoved({ at, line });
    form.removeListItem('items', at);
  };
  const undo = ({ at, line }: Removed): void => {
    insert(line, Math.min(at, lines.length));
    setRemoved(undefined);
  };
  const keys: LineKeys = {
    goTo: focus,
    addAfter,
    move: (at, by, column) => {
      move(at, by);
      setNext({ key: lines[at]?.key ?? '', column });
    },
    remove: (at, column) => {
      const neighbour = lines[at + 1] ?? lines[at - 1];
      if (!neighbour) return;
      remove(at);
      setNext({ key: neighbour.key, column });
    },
    count: lines.length,
  };
  // From elsewhere in the form it leads to the lines.
  useHotkeys(
    [
      [
        'mod+Enter',
        ({ target }) => {
          if (target instanceof Element && target.closest('[role="dialog"], [data-line]')) return;
          const empty = lines.findIndex(({ title }) => title === '');
          if (empty === -1) addAfter(lines.length - 1);
          else focus(empty, 'title');
        },
        { preventDefault: false },
      ],
    ],
    [],
  );
  const grid = useEventListener<'keydown', HTMLDivElement>('keydown', (event) => handleLineKey(event, keys));
  return (
    <Stack gap="sm" component="fieldset" bd={0} p={0} m={0} miw={0}>
      <Text component="legend" fw={600} mb="xs">
        {t('Lines')}
      </Text>
      <div className="lines">
        <div className="lines-grid" ref={grid}>
          {/* Each cell has its own name. */}
          <div className="lines-head" aria-hidden>
            <span>{t('Title')}</span>
            <span>{t('Quantity')}</span>
            <span>{t('Unit')}</span>
            <span>{t('Unit price, net')}</span>
            <span>{t('VAT, %')}</span>
            <span>{t('Net')}</span>
            <span />
          </div>
          {lines.map((line, index) => (
            <Line
              key={line.key}
              form={form}
              line={line}
              at={index}
              total={lineTotals?.[index]}
              currency={currency}
              focused={focused}
              isOnly={lines.length === 1}
              isNew={line.key === added}
              isLast={index === lines.length - 1}
              move={(by) => move(index, by)}
              remove={() => {
                remove(index);
                addButton.current?.focus(); // because the line's button is removed with it
              }}
            />
          ))}
        </div>
      </div>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<PlusIcon width={18} aria-hidden />}
          onClick={() => addAfter(lines.length - 1)}
          aria-keyshortcuts="Control+Enter"
          ref={addButton}
        >
          {t('Add a line')}
        </Button>
        <Group gap="xs" role="status">
          {removed && (
            <>
              <Text size="sm">{t('Line {number} is removed.', { number: String(removed.at + 1) })}</Text>
              <Button variant="subtle" size="compact-sm" onClick={() => undo(removed)}>
                {t('Undo')}
              </Button>
            </>
          )}
        </Group>
        <Text className="line-help" size="xs" c="dimmed" ml="auto">
          <Trans
            i18nKey="<k>Enter</k> next field or line · <k>Ctrl Enter</k> new line · <k>Alt ↑ ↓</k> move · <k>Ctrl ⇧ ⌫</k> remove"
            components={{ k: <Kbd size="xs" /> }}
          />
        </Text>
      </Group>
    </Stack>
  );
}
