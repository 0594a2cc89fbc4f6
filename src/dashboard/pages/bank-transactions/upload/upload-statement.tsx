import { Progress, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { useLocation } from 'wouter';
import { notifyError } from '../../../components/toast.ts';
import { Form, useSubmit } from '../../../forms/form.tsx';
import { Page } from '../../../layout/page.tsx';
import { percent as percentText } from '../../../format/format.ts';
import { graphql, type ResultOf } from '../../../graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { readHead, isCsv, parseRows } from '../../../upload/csv-head.ts';
import { CsvMapping } from './csv-mapping.tsx';
import { loadMapping, saveMapping } from './csv-memory.ts';
import { guessMapping, buildMapping, type CsvValues } from './csv-values.ts';
import { DropZone } from '../../../upload/drop-zone.tsx';
import { Outcome } from './outcome.tsx';
import { useUpload } from '../../../upload/use-upload.ts';
import { t } from '../../../i18n/t.ts';

const ImportBankStatement = graphql(`
  mutation ImportBankStatement($file: Upload!, $csv: CsvMappingInput) {
    importBankStatement(file: $file, csv: $csv) {
      imported
      skipped
      matched
      warnings
    }
  }
`);

export type Imported = ResultOf<typeof ImportBankStatement>['importBankStatement'];

export interface StatementValues {
  file: File | null;
  csv: CsvValues;
}

const back = { to: '/bank-transactions', label: t('Bank transactions') };

export default function UploadStatement(): ReactNode {
  const [outcome, setOutcome] = useState<{ imported: Imported; fileName: string }>();
  return (
    <Page
      title={t('Upload a statement')}
      back={back}
      description={t(
        'Either the whole file is imported or nothing. Transactions that were imported before are skipped.',
      )}
    >
      {outcome ? (
        <Outcome outcome={outcome.imported} fileName={outcome.fileName} onUploadAnother={() => setOutcome(undefined)} />
      ) : (
        <Upload onDone={(imported, fileName) => setOutcome({ imported, fileName })} />
      )}
    </Page>
  );
}

function Upload({ onDone }: { onDone: (imported: Imported, fileName: string) => void }): ReactNode {
  const { tenant } = useSession();
  const [, navigate] = useLocation();
  const [, importStatement] = useMutation(ImportBankStatement);
  const [head, setHead] = useState('');
  const { sent, begin } = useUpload();
  const form = useForm<StatementValues>({
    mode: 'controlled',
    initialValues: { file: null, csv: guessMapping([], tenant.defaultCurrency) },
    validate: {
      file: (file) => (file ? null : t('Choose a file first.')),
      // The server would name a line of the file, and not the field.
      csv: { columns: { bookingDate: (column) => (column === null && isCsv(head) ? t('Choose one.') : null) } },
    },
  });
  const { file, csv } = form.values;
  const mapped = file !== null && isCsv(head);
  const rows = mapped ? parseRows(head, Number(csv.skipLines) || 0) : [];
  const choose = async (chosen: File): Promise<void> => {
    let text: string;
    try {
      text = await readHead(chosen);
    } catch (unreadable) {
      notifyError((unreadable as Error).message);
      return;
    }
    const first = parseRows(text, 0);
    setHead(text);
    form.clearErrors();
    form.setValues({ file: chosen, csv: loadMapping(tenant.id, first) ?? guessMapping(first, tenant.defaultCurrency) });
  };
  const submission = useSubmit(
    form,
    (values) => {
      const variables = { file: values.file as File, csv: mapped ? buildMapping(values.csv) : null };
      return importStatement(variables, { fetch: begin() });
    },
    ({ importBankStatement }) => {
      if (mapped) saveMapping(tenant.id, parseRows(head, 0), csv);
      onDone(importBankStatement, file?.name ?? '');
    },
  );
  return (
    <Form submission={submission} submit={t('Import')} onCancel={() => navigate(back.to)}>
      <DropZone
        label={t('Bank statement')}
        file={file}
        onChange={choose}
        description={t('CAMT.053, MT940 or CSV, at most 64 MiB')}
        error={form.errors.file}
        disabled={submission.busy}
        data-path="file"
      />
      {mapped && <CsvMapping form={form} rows={rows} />}
      <UploadProgress busy={submission.busy} sent={sent} />
    </Form>
  );
}

/** The progress of the upload. It takes up its space before the upload starts. */
function UploadProgress({ busy, sent }: { busy: boolean; sent: number }): ReactNode {
  const percent = Math.floor(sent * 100);
  return (
    <Stack gap={4} mih={34} style={{ visibility: busy ? 'visible' : 'hidden' }}>
      <Progress value={percent} animated={sent === 1} aria-label={t('Upload')} />
      <Text size="sm" c="dimmed" role="status">
        {busy &&
          (sent < 1
            ? t('Uploading: {percent}', { percent: percentText(String(percent)) })
            : t('Reading the file and matching payments…'))}
      </Text>
    </Stack>
  );
}
