import { Alert, Box, Button, Card, Group, Stack, Table, Title } from '@mantine/core';
import { CheckCircleIcon, ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, type ReactNode } from 'react';
import { DescriptionList } from '../../components/description-list.tsx';
import { sayProblem } from '../../errors/plain-messages.ts';
import { count, label } from '../../format/format.ts';
import { SimpleTable } from '../../list/simple-table.tsx';
import { getLabel } from './field-names.ts';
import type { Kind } from './fields.ts';
import type { Result } from './import-mutations.ts';
import { ImportProgress } from './import-progress.tsx';
import type { Column } from './mapping-values.ts';
import type { ImportRun } from './use-import.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  kind: Kind;
  columns: Column[];
  result: Result;
  run: ImportRun;
  onBack: () => void;
  onImport: () => void;
}

/** The third step: what the dry run found. It takes the focus, so that screen readers announce it. */
export function CheckFile({ kind, columns, result, run, onBack, onImport }: Props): ReactNode {
  const { errors, preview } = result;
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => region.current?.focus(), []);
  return (
    <Stack gap="md" ref={region} tabIndex={-1} role="region" aria-label={t('Check')} style={{ outline: 'none' }}>
      {errors.length > 0 ? (
        <Errors errors={errors} columns={columns} />
      ) : (
        <Alert color="teal" icon={<CheckCircleIcon aria-hidden />} title={t('The file has no errors')}>
          {t('Nothing is imported yet.')}
        </Alert>
      )}
      {errors.length === 0 && <Counts result={result} isDone={false} />}
      {preview.length > 0 && <Preview kind={kind} preview={preview} />}
      <ImportProgress run={run} label={t('Importing')} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onBack} disabled={run.busy}>
          {t('Back to the columns')}
        </Button>
        {errors.length === 0 && (
          <Button onClick={onImport} loading={run.busy}>
            {t('Import')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** The numbers of records. */
export function Counts({ result, isDone }: { result: Result; isDone: boolean }): ReactNode {
  const { imported, skipped, leftOut } = result;
  return (
    <DescriptionList
      items={[
        [isDone ? t('Imported') : t('New'), count(imported)],
        [t('Imported before, unchanged'), count(skipped)],
        [t('Rows left out'), leftOut > 0 ? count(leftOut) : null],
      ]}
    />
  );
}

function Errors({ errors, columns }: Pick<Result, 'errors'> & { columns: Column[] }): ReactNode {
  return (
    <>
      <Alert color="red" icon={<ExclamationTriangleIcon aria-hidden />} title={t('The file has errors')}>
        {t('Nothing is imported. Change the columns, or correct the file and choose it again.')}
      </Alert>
      <SimpleTable
        caption={t('Errors')}
        rows={errors.map((error, index) => ({ ...error, id: String(index) }))}
        columns={[
          { header: t('Line'), cell: ({ line }) => line ?? t('File'), width: 90 },
          { header: t('Column'), cell: ({ column }) => column && formatHeading(column, columns) },
          { header: t('Error'), cell: sayProblem },
        ]}
      />
    </>
  );
}

/** The heading of a column that is named by its position, and the name of a field without a column. */
function formatHeading(column: string, columns: Column[]): string {
  const known = columns.find(({ value }) => value === column);
  return known ? known.heading : /^[a-z]\w*$/.test(column) ? getLabel(column) : column;
}

/** The first rows as they will be imported. */
function Preview({ kind, preview }: { kind: Kind; preview: Result['preview'] }): ReactNode {
  const shown = kind.fields.filter(({ name }) =>
    preview.some(({ cells }) => cells.some(({ field }) => field === name)),
  );
  return (
    <Card withBorder radius="md" component="section" aria-labelledby="preview">
      <Stack gap="sm">
        <Title order={2} size="h4" id="preview">
          {t('The first rows, as they are read')}
        </Title>
        <Box
          style={{ overflowX: 'auto' }}
          tabIndex={0}
          role="region"
          aria-label={t('The first rows, as they are read')}
        >
          <Table
            withTableBorder
            withColumnBorders
            fz="xs"
            style={{ whiteSpace: 'nowrap' }}
            data={{
              head: [t('Line'), ...shown.map(({ name }) => getLabel(name))],
              body: preview.map(({ line, cells }) => [
                line,
                ...shown.map(({ name, type }) => {
                  const text = cells.find(({ field }) => field === name)?.text ?? '';
                  return type === 'CHOICE' ? label(text) : text;
                }),
              ]),
            }}
          />
        </Box>
      </Stack>
    </Card>
  );
}
