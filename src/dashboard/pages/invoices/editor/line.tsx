import { ActionIcon, Button, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ArrowDownIcon, ArrowUpIcon, TrashIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { DecimalInput } from '../../../forms/decimal-input.tsx';
import { useMoreFields } from '../../../forms/more-fields.tsx';
import { money } from '../../../format/format.ts';
import { hasDetails, lineDetails, type InvoiceValues } from './invoice-values.ts';
import { LineDetails } from './line-details.tsx';
import type { Column } from './line-keys.ts';
import { t } from '../../../i18n/t.ts';

interface Props {
  form: UseFormReturnType<InvoiceValues>;
  line: InvoiceValues['items'][number];
  at: number;
  total: string | undefined;
  currency: string;
  /** The field that gets the focus at first: `items.0.vatCategory`. */
  focused: string | undefined;
  /** Whether it was just added: it has the former line's VAT, which nobody has to look at again. */
  isNew: boolean;
  isOnly: boolean;
  isLast: boolean;
  move: (by: -1 | 1) => void;
  remove: () => void;
}

/** A line of an invoice: a row of the grid, or a card on a phone. */
export function Line({
  form,
  line,
  at,
  total,
  currency,
  focused,
  isNew,
  isOnly,
  isLast,
  move,
  remove,
}: Props): ReactNode {
  const number = String(at + 1);
  const getLabel = (name: string): string => t('{name}, line {number}', { name, number });
  const hasError = lineDetails.some((name) => form.errors[`items.${at}.${name}`]);
  const isFocused = lineDetails.some((name) => focused === `items.${at}.${name}`);
  const { opened, id, button } = useMoreFields((hasDetails(line) && !isNew) || isFocused, hasError);
  const cell = (column: Column, label: string, name = label) => ({
    label,
    'aria-label': getLabel(name),
    className: `line-cell line-${column}`,
    errorProps: { 'data-column': label },
    ...form.getInputProps(`items.${at}.${column}`),
  });
  return (
    <div className="line" role="group" aria-label={t('Line {number}', { number })} data-line={at}>
      <TextInput required {...cell('title', t('Title'))} />
      <DecimalInput required {...cell('quantity', t('Quantity'))} />
      <TextInput
        {...cell('unit', t('Unit'))}
        onChange={(event) => {
          form.setFieldValue(`items.${at}.unit`, event.currentTarget.value);
          form.setFieldValue(`items.${at}.unitCode`, ''); // it is another unit
        }}
      />
      <DecimalInput required {...cell('unitPriceNet', t('Unit price, net'))} />
      <DecimalInput required {...cell('vatRate', t('VAT, %'), t('VAT, per cent'))} />
      <div className="line-net numbers">
        <span>{t('Net')} </span>
        {total === undefined ? '–' : money(total, currency)}
      </div>
      <div className="line-actions">
        <Button variant="subtle" color="gray" size="compact-sm" aria-label={getLabel(t('More'))} {...button}>
          <span>{t('More')}</span>
        </Button>
        <ActionIcon
          className="line-move"
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={getLabel(t('Move up'))}
          aria-keyshortcuts="Alt+ArrowUp"
          disabled={at === 0}
          onClick={() => move(-1)}
        >
          <ArrowUpIcon width={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          className="line-move"
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={getLabel(t('Move down'))}
          aria-keyshortcuts="Alt+ArrowDown"
          disabled={isLast}
          onClick={() => move(1)}
        >
          <ArrowDownIcon width={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="red"
          size="lg"
          aria-label={getLabel(t('Remove'))}
          aria-keyshortcuts="Control+Shift+Backspace"
          disabled={isOnly}
          onClick={remove}
        >
          <TrashIcon width={18} aria-hidden />
        </ActionIcon>
      </div>
      <Stack className="line-details" id={id} gap="md" display={opened ? undefined : 'none'}>
        <LineDetails form={form} at={at} labelOf={getLabel} />
      </Stack>
    </div>
  );
}
