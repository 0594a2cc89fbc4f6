import { Group, Select, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { DecimalInput } from '../../../forms/decimal-input.tsx';
import { vatCategories, type InvoiceValues, type lineDetails } from './invoice-values.ts';
import { t } from '../../../i18n/t.ts';

interface Props {
  form: UseFormReturnType<InvoiceValues>;
  at: number;
  labelOf: (name: string) => string;
}

/** The fields that few lines need. */
export function LineDetails({ form, at, labelOf }: Props): ReactNode {
  const field = (name: (typeof lineDetails)[number]) => form.getInputProps(`items.${at}.${name}`);
  return (
    <>
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
    </>
  );
}
