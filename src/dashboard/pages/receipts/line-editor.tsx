import { ActionIcon, Card, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { TrashIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, type ReactNode } from 'react';
import { count } from '../../format/format.ts';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { MoreFields } from '../../forms/more-fields.tsx';
import { lineDetails, vatCategories, type LineValues } from './line-values.ts';
import { t } from '../../i18n/t.ts';

interface Props<Values> {
  form: UseFormReturnType<Values>;
  lines: LineValues[];
  /** The key of the line that was just added, so that it gets the focus. */
  added: string | undefined;
  /** Called when a line was removed with its button, which had the focus. */
  onRemoved: () => void;
}

/** Edits and removes the lines of a receipt. */
export const LineEditor = <Values extends { lines: LineValues[] }>({
  form,
  lines,
  added,
  onRemoved,
}: Props<Values>): ReactNode => (
  <Stack gap="sm" component="fieldset" bd={0} p={0} m={0}>
    <Text component="legend" fw={600} mb="xs">
      {t('Lines')}
    </Text>
    {lines.map((line, index) => (
      <Line
        key={line.key}
        form={form as unknown as UseFormReturnType<{ lines: LineValues[] }>}
        line={line}
        at={index}
        isNew={line.key === added}
        isOnly={lines.length === 1}
        onRemoved={onRemoved}
      />
    ))}
  </Stack>
);

interface LineProps {
  form: UseFormReturnType<{ lines: LineValues[] }>;
  line: LineValues;
  at: number;
  isNew: boolean;
  isOnly: boolean;
  onRemoved: () => void;
}

function Line({ form, line, at, isNew, isOnly, onRemoved }: LineProps): ReactNode {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  const field = (name: keyof LineValues) => form.getInputProps(`lines.${at}.${name}`);
  const getLabel = (name: string): string => t('{field}, line {number}', { field: name, number: count(at + 1) });
  // The VAT of another amount is another one.
  const changing = (name: 'amountGross' | 'vatRate') => {
    const { onChange, ...props } = field(name);
    return {
      ...props,
      onChange: (value: unknown): void => {
        onChange(value);
        form.setFieldValue(`lines.${at}.vatAmount`, '');
      },
    };
  };
  return (
    <Card withBorder radius="md" p="sm" role="group" aria-label={t('Line {number}', { number: count(at + 1) })}>
      <Group align="flex-end" gap="xs" wrap="wrap">
        <TextInput
          label={t('Description')}
          ref={first}
          aria-label={getLabel(t('Description'))}
          style={{ flex: '4 1 180px' }}
          {...field('description')}
        />
        <DecimalInput
          label={t('Amount, gross')}
          aria-label={getLabel(t('Amount, gross'))}
          required
          style={{ flex: '1 1 120px' }}
          {...changing('amountGross')}
        />
        <DecimalInput
          label={t('VAT, %')}
          aria-label={getLabel(t('VAT, per cent'))}
          placeholder="0"
          style={{ flex: '1 1 76px' }}
          {...changing('vatRate')}
        />
        <ActionIcon
          variant="subtle"
          color="red"
          size="lg"
          aria-label={getLabel(t('Remove'))}
          disabled={isOnly}
          onClick={() => {
            form.removeListItem('lines', at);
            onRemoved();
          }}
        >
          <TrashIcon width={18} aria-hidden />
        </ActionIcon>
      </Group>
      <MoreFields
        label={t('More')}
        ariaLabel={getLabel(t('More'))}
        initiallyOpen={lineDetails.some((name) => name !== 'vatAmount' && Boolean(line[name]))}
        hasError={lineDetails.some((name) => form.errors[`lines.${at}.${name}`])}
      >
        <Group align="flex-start" gap="xs" wrap="wrap">
          <TextInput
            label={t('Account')}
            aria-label={getLabel(t('Account'))}
            style={{ flex: '1 1 120px' }}
            {...field('account')}
          />
          <Select
            label={t('VAT category')}
            aria-label={getLabel(t('VAT category'))}
            placeholder={t('By the VAT rate')}
            data={vatCategories}
            clearable
            style={{ flex: '1 1 200px' }}
            {...field('vatCategory')}
          />
        </Group>
        <Group align="flex-start" gap="xs" wrap="wrap">
          <DecimalInput
            label={t('Stated VAT')}
            aria-label={getLabel(t('Stated VAT'))}
            placeholder={t('As computed')}
            style={{ flex: '1 1 120px' }}
            {...field('vatAmount')}
          />
          <DecimalInput
            label={t('Deductible, %')}
            aria-label={getLabel(t('Deductible, per cent'))}
            placeholder="100"
            style={{ flex: '1 1 120px' }}
            {...field('deductiblePercent')}
          />
        </Group>
      </MoreFields>
    </Card>
  );
}
