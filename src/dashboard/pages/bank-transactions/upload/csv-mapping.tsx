import {
  Autocomplete,
  Card,
  Checkbox,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { count, currencies } from '../../../format/format.ts';
import { CsvPreview } from '../../../upload/csv-preview.tsx';
import { knownDateFormats } from '../../../upload/csv-formats.ts';
import { amountKinds } from './csv-values.ts';
import type { StatementValues } from './upload-statement.tsx';
import { t } from '../../../i18n/t.ts';

interface Props {
  form: UseFormReturnType<StatementValues>;
  /** The file's first rows. */
  rows: string[][];
}

/** Maps the columns of a bank's CSV. */
export function CsvMapping({ form, rows }: Props): ReactNode {
  const { headerRow, amountKind } = form.values.csv;
  const [first = [], second = []] = rows;
  const columns = first.map((cell, index) => ({
    value: String(index + 1),
    label: columnLabel(cell, second[index], index, headerRow),
  }));
  const column = (field: string) => ({
    data: columns,
    searchable: true,
    clearable: true,
    ...form.getInputProps(`csv.columns.${field}`),
  });
  return (
    <Card withBorder radius="md" component="section" aria-labelledby="mapping">
      <Stack gap="md">
        <div>
          <Title order={2} size="h4" id="mapping">
            {t('Match the columns')}
          </Title>
          <Text size="sm" c="dimmed">
            {t(
              'Every bank has its own CSV format. Recognized columns are filled in. Your choices are remembered for files with the same columns.',
            )}
          </Text>
        </div>
        <CsvPreview rows={rows} headerRow={headerRow} />
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          <TextInput label={t('Lines to skip')} inputMode="numeric" {...form.getInputProps('csv.skipLines')} />
          <Checkbox
            label={t('The first row is a header')}
            mt={{ base: 0, sm: 30 }}
            {...form.getInputProps('csv.headerRow', { type: 'checkbox' })}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          <Select label={t('Booking date')} required {...column('bookingDate')} />
          <Select label={t('Value date')} {...column('valueDate')} />
          <Autocomplete
            label={t('Date format')}
            description={t('Of YYYY or YY, MM and DD')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            required
            data={knownDateFormats}
            {...form.getInputProps('csv.dateFormat')}
          />
          <Select
            label={t('Amounts')}
            data={Object.entries(amountKinds).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('csv.amountKind')}
          />
          {amountKind === 'debitAndCredit' ? (
            <>
              <Select label={t('Money sent')} required {...column('debit')} />
              <Select label={t('Money received')} required {...column('credit')} />
            </>
          ) : (
            <Select label={t('Amount')} required {...column('amount')} />
          )}
          {amountKind === 'direction' && <Select label={t('Direction')} required {...column('direction')} />}
          <Select
            label={t('Decimal separator')}
            data={[
              { value: ',', label: t('Comma: 1.234,56') },
              { value: '.', label: t('Point: 1,234.56') },
            ]}
            {...form.getInputProps('csv.decimalSeparator')}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select label={t('Your account')} description={t('The column that has it')} {...column('accountIban')} />
          <TextInput
            label={t('Your account’s IBAN')}
            description={t('If no column has it')}
            {...form.getInputProps('csv.accountIban')}
          />
          <Select label={t('Currency')} description={t('The column that has it')} {...column('currency')} />
          <Select
            label={t('The account’s currency')}
            description={t('If no column has it')}
            data={currencies()}
            searchable
            clearable
            {...form.getInputProps('csv.currency')}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select label={t('Counterparty’s name')} {...column('counterpartyName')} />
          <Select label={t('Counterparty’s IBAN')} {...column('counterpartyIban')} />
          <MultiSelect
            label={t('Reference')}
            description={t('Several are joined, in this order')}
            {...column('reference')}
          />
          <Select
            label={t('The bank’s own reference')}
            description={t('Identifies each transaction')}
            {...column('externalId')}
          />
        </SimpleGrid>
      </Stack>
    </Card>
  );
}

/** A column's name with an example value. */
function columnLabel(cell: string, example: string | undefined, index: number, headerRow: boolean): string {
  const name = (headerRow && cell.trim()) || t('Column {number}', { number: count(index + 1) });
  const sample = (headerRow ? example : cell)?.trim().slice(0, 24);
  return sample ? `${name} (${sample})` : name;
}
