import {
  Alert,
  Autocomplete,
  Button,
  Card,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { delimiters } from '../../upload/csv-head.ts';
import { knownDateFormats } from '../../upload/csv-formats.ts';
import { CsvPreview } from '../../upload/csv-preview.tsx';
import { getHint, getLabel } from './field-names.ts';
import type { ImportField, Kind } from './fields.ts';
import { rowsOfHead, type FileHead } from './file-head.ts';
import { ImportProgress } from './import-progress.tsx';
import { getColumns, mappingFor, type MappingValues } from './mapping-values.ts';
import type { ImportRun } from './use-import.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  kind: Kind;
  head: FileHead;
  onHead: (head: FileHead) => void;
  mapping: MappingValues;
  onMapping: (mapping: MappingValues) => void;
  run: ImportRun;
  onBack: () => void;
  onNext: () => void;
}

/** The second step: how the file is written, and which column has which field. */
export function MapColumns(props: Props): ReactNode {
  const { kind, mapping, onMapping, head, run, onBack, onNext } = props;
  const rows = rowsOfHead(head);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onNext();
      }}
    >
      <Stack gap="md">
        {run.errors.length > 0 && (
          <Alert
            color="red"
            role="alert"
            title={run.wasDryRun ? t('The file can’t be checked yet') : t('That didn’t work')}
          >
            {run.errors.map((message) => (
              <div key={message}>{message}</div>
            ))}
          </Alert>
        )}
        <Card withBorder radius="md" component="section" aria-labelledby="format">
          <Stack gap="md">
            <Title order={2} size="h4" id="format">
              {t('The file')}
            </Title>
            <CsvPreview rows={rows} headerRow />
            <Format {...props} rows={rows} />
            {mapping.preset && kind.resource === 'INVOICE' && (
              <Text size="sm" c="dimmed">
                {t('Drafts, void invoices, and credit notes are left out.')}
              </Text>
            )}
          </Stack>
        </Card>
        <Card withBorder radius="md" component="section" aria-labelledby="mapping">
          <Stack gap="md">
            <div>
              <Title order={2} size="h4" id="mapping">
                {t('Match the columns')}
              </Title>
              <Text size="sm" c="dimmed">
                {t(
                  'Choose the column of each field, or a text for all rows. The text also counts where a cell is empty.',
                )}
              </Text>
            </div>
            {kind.fields.map((field) => (
              <FieldMapping
                key={field.name}
                field={field}
                rows={rows}
                mapping={mapping}
                onMapping={onMapping}
                error={run.fieldErrors[field.name]}
              />
            ))}
          </Stack>
        </Card>
        <ImportProgress run={run} label={t('Checking the file')} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {t('Back')}
          </Button>
          <Button type="submit" loading={run.busy}>
            {t('Check the file')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const delimiterNames: Record<(typeof delimiters)[number], [name: string, detected: string]> = {
  ';': [t('Semicolon'), t('Detected: semicolon')],
  ',': [t('Comma'), t('Detected: comma')],
  '\t': [t('Tab'), t('Detected: tab')],
  '|': [t('Vertical bar'), t('Detected: vertical bar')],
};
const describeDetected = (delimiter: string): string =>
  delimiters.flatMap((each) => (each === delimiter ? delimiterNames[each][1] : []))[0] ?? delimiter;

const encodings: Record<string, string> = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'iso-8859-15': 'ISO 8859-15',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 BE',
  macintosh: 'Mac Roman',
};

/** The value of a selection where nothing is changed: an empty value would be no selection. */
const asDetected = 'detected';
const byHand = 'none';

function Format({ kind, head, onHead, mapping, onMapping, rows }: Props & { rows: string[][] }): ReactNode {
  const { detected } = head;
  const choosePreset = (value: string | null): void =>
    onMapping(
      mappingFor(
        kind,
        rows,
        kind.presets.find(({ preset }) => preset === value),
      ),
    );
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      <Select
        label={t('System')}
        data={[
          { value: byHand, label: t('Another one') },
          ...kind.presets.map(({ preset, title }) => ({ value: preset, label: title })),
        ]}
        value={mapping.preset ?? byHand}
        onChange={choosePreset}
      />
      <Autocomplete
        label={t('Date format')}
        data={knownDateFormats}
        value={mapping.dateFormat}
        onChange={(dateFormat) => onMapping({ ...mapping, dateFormat })}
      />
      <Select
        label={t('Decimal separator')}
        data={[
          { value: ',', label: t('Comma: 1.234,56') },
          { value: '.', label: t('Point: 1,234.56') },
        ]}
        value={mapping.decimalSeparator}
        onChange={(value) => onMapping({ ...mapping, decimalSeparator: value ?? '.' })}
      />
      <Select
        label={t('Delimiter')}
        data={[
          { value: asDetected, label: describeDetected(detected.delimiter) },
          ...delimiters.map((value) => ({ value: value as string, label: delimiterNames[value][0] })),
        ]}
        value={head.delimiter ?? asDetected}
        onChange={(value) => onHead({ ...head, delimiter: value === asDetected ? null : value })}
      />
      <Select
        label={t('Encoding')}
        data={[
          {
            value: asDetected,
            label: t('Detected: {encoding}', { encoding: encodings[detected.encoding] ?? detected.encoding }),
          },
          ...Object.entries(encodings).map(([value, label]) => ({ value, label })),
        ]}
        value={head.encoding ?? asDetected}
        onChange={(value) => onHead({ ...head, encoding: value === asDetected ? null : value })}
      />
    </SimpleGrid>
  );
}

/** Fields that differ in each record: one text for all rows makes no sense. */
const unique = new Set(['externalId', 'number']);

interface FieldProps {
  field: ImportField;
  rows: string[][];
  mapping: MappingValues;
  onMapping: (mapping: MappingValues) => void;
  error: string | undefined;
}

function FieldMapping({ field, rows, mapping, onMapping, error }: FieldProps): ReactNode {
  const { name, isRequired } = field;
  const [, first = []] = rows;
  const label = getLabel(name);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="xs">
      <Select
        label={label}
        description={getHint(field)}
        required={isRequired}
        error={error}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('Clear: {label}', { label }) }}
        data={getColumns(rows).map(({ value, heading, index }) => ({
          value,
          label: first[index]?.trim() ? `${heading} (${first[index].trim().slice(0, 24)})` : heading,
        }))}
        value={mapping.columns[name] ?? null}
        onChange={(value) => onMapping({ ...mapping, columns: { ...mapping.columns, [name]: value } })}
      />
      {!unique.has(name) && (
        <TextInput
          label={t('{field}, if there is none', { field: label })}
          styles={{ root: { alignSelf: 'end' } }}
          value={mapping.defaults[name] ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onMapping({ ...mapping, defaults: { ...mapping.defaults, [name]: value } })
          }
        />
      )}
    </SimpleGrid>
  );
}
