import { ActionIcon, Button, Card, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ChevronDownIcon, ChevronUpIcon, PlusIcon, TrashIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { DecimalInput } from '../../../forms/decimal-input.tsx';
import { MoreFields } from '../../../forms/more-fields.tsx';
import { money } from '../../../format/format.ts';
import { hasDetails, lineDetails, newLine, vatCategories, type InvoiceValues } from './invoice-values.ts';
import { t } from '../../../i18n/t.ts';

interface Props {
  form: UseFormReturnType<InvoiceValues>;
  /** The total of each line, computed by the server. Undefined while a line has no valid numbers. */
  lineTotals: readonly string[] | undefined;
  currency: string;
  /** The field that gets the focus at first: `items.0.vatCategory`. */
  focused: string | undefined;
}

/** Adds, edits, removes, and reorders the lines of an invoice. */
export function LineEditor({ form, lineTotals, currency, focused }: Props): ReactNode {
  const lines = form.values.items;
  const [added, setAdded] = useState<string>();
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (): void => {
    const line = newLine(lines.at(-1));
    form.insertListItem('items', line);
    setAdded(line.key);
  };
  return (
    <Stack gap="sm" component="fieldset" bd={0} p={0} m={0}>
      <Text component="legend" fw={600} mb="xs">
        {t('Lines')}
      </Text>
      {lines.map((line, index) => (
        <Line
          key={line.key}
          form={form}
          at={index}
          last={index === lines.length - 1}
          total={lineTotals?.[index]}
          isNew={line.key === added}
          remove={() => {
            form.removeListItem('items', index);
            addButton.current?.focus(); // because the line's button is removed with it
          }}
          currency={currency}
          focused={focused}
        />
      ))}
      <Button
        variant="default"
        w="fit-content"
        leftSection={<PlusIcon width={18} aria-hidden />}
        onClick={add}
        ref={addButton}
      >
        {t('Add a line')}
      </Button>
    </Stack>
  );
}

interface LineProps {
  form: UseFormReturnType<InvoiceValues>;
  at: number;
  last: boolean;
  total: string | undefined;
  /** Whether the line was just added, so that it gets the focus. */
  isNew: boolean;
  remove: () => void;
  currency: string;
  focused: string | undefined;
}

function Line({ form, at, last, total, isNew, remove, currency, focused }: LineProps): ReactNode {
  const title = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) title.current?.focus();
  }, [isNew]);
  const field = (name: string) => form.getInputProps(`items.${at}.${name}`);
  const number = String(at + 1);
  const getLabel = (name: string): string => t('{name}, line {number}', { name, number });
  const move = (to: number) => (): void => form.reorderListItem('items', { from: at, to });
  return (
    <Card withBorder radius="md" p="sm" role="group" aria-label={t('Line {number}', { number })}>
      <Group align="flex-start" gap="xs" wrap="wrap">
        <TextInput
          label={t('Title')}
          ref={title}
          aria-label={getLabel(t('Title'))}
          required
          style={{ flex: '4 1 220px' }}
          {...field('title')}
        />
        <DecimalInput
          label={t('Quantity')}
          aria-label={getLabel(t('Quantity'))}
          required
          style={{ flex: '1 1 84px' }}
          {...field('quantity')}
        />
        <TextInput
          label={t('Unit')}
          aria-label={getLabel(t('Unit'))}
          style={{ flex: '1 1 84px' }}
          {...field('unit')}
          onChange={(event) => {
            form.setFieldValue(`items.${at}.unit`, event.currentTarget.value);
            form.setFieldValue(`items.${at}.unitCode`, ''); // it is another unit
          }}
        />
        <DecimalInput
          label={t('Unit price, net')}
          aria-label={getLabel(t('Unit price, net'))}
          required
          style={{ flex: '1 1 120px' }}
          {...field('unitPriceNet')}
        />
        <DecimalInput
          label={t('VAT, %')}
          aria-label={getLabel(t('VAT, per cent'))}
          required
          style={{ flex: '1 1 76px' }}
          {...field('vatRate')}
        />
      </Group>
      <Details form={form} at={at} labelOf={getLabel} focused={focused} />
      <Group justify="space-between" mt="xs" wrap="nowrap">
        <Text size="sm" c="dimmed" className="numbers">
          {total === undefined ? '–' : t('Net {amount}', { amount: money(total, currency) })}
        </Text>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={getLabel(t('Move up'))}
            disabled={at === 0}
            onClick={move(at - 1)}
          >
            <ChevronUpIcon width={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={getLabel(t('Move down'))}
            disabled={last}
            onClick={move(at + 1)}
          >
            <ChevronDownIcon width={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            aria-label={getLabel(t('Remove'))}
            disabled={last && at === 0}
            onClick={remove}
          >
            <TrashIcon width={18} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
    </Card>
  );
}

interface DetailsProps {
  form: UseFormReturnType<InvoiceValues>;
  at: number;
  labelOf: (name: string) => string;
  focused: string | undefined;
}

/** The fields that few lines need. */
function Details({ form, at, labelOf, focused }: DetailsProps): ReactNode {
  const line = form.values.items[at];
  const field = (name: (typeof lineDetails)[number]) => form.getInputProps(`items.${at}.${name}`);
  if (!line) return null;
  return (
    <MoreFields
      label={t('More')}
      ariaLabel={labelOf(t('More'))}
      initiallyOpen={hasDetails(line) || lineDetails.some((name) => focused === `items.${at}.${name}`)}
      hasError={lineDetails.some((name) => form.errors[`items.${at}.${name}`])}
    >
      <Textarea
        label={t('Description')}
        aria-label={labelOf(t('Description'))}
        autosize
        minRows={2}
        maxRows={8}
        {...field('description')}
      />
      <Group align="flex-start" gap="xs" wrap="wrap">
        <DecimalInput
          label={t('Discount, %')}
          aria-label={labelOf(t('Discount, per cent'))}
          style={{ flex: '1 1 100px' }}
          {...field('discountPercent')}
        />
        <TextInput
          label={t('Unit code')}
          aria-label={labelOf(t('Unit code'))}
          placeholder={t('By the unit')}
          style={{ flex: '1 1 120px' }}
          {...field('unitCode')}
        />
        <TextInput
          type="date"
          label={t('Service from')}
          aria-label={labelOf(t('Service from'))}
          style={{ flex: '1 1 150px' }}
          {...field('servicePeriodStart')}
        />
        <TextInput
          type="date"
          label={t('Service to')}
          aria-label={labelOf(t('Service to'))}
          style={{ flex: '1 1 150px' }}
          {...field('servicePeriodEnd')}
        />
      </Group>
      <Group align="flex-start" gap="xs" wrap="wrap">
        <Select
          label={t('VAT category')}
          aria-label={labelOf(t('VAT category'))}
          placeholder={t('By the VAT rate')}
          data={vatCategories}
          clearable
          style={{ flex: '1 1 200px' }}
          {...field('vatCategory')}
        />
        <TextInput
          label={t('Why no VAT is charged')}
          aria-label={labelOf(t('Why no VAT is charged'))}
          style={{ flex: '2 1 220px' }}
          {...field('exemptionReason')}
        />
      </Group>
    </MoreFields>
  );
}
