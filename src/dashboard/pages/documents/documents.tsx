import { Button, Card, Group, Select, Stack, Title } from '@mantine/core';
import { ArrowDownTrayIcon, EyeIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import type { OperationResult } from 'urql';
import { notifyError } from '../../components/toast.ts';
import { saveFile } from '../../upload/save-file.ts';
import { eInvoiceFormats, type EInvoiceFormat } from '../invoices/formats.ts';
import { t } from '../../i18n/t.ts';
import { toBlob, type File } from './file.ts';

type FileResult = OperationResult<{ file: File | null }>;

interface Props {
  readPdf: () => Promise<FileResult>;
  format: EInvoiceFormat;
  onFormat: (format: EInvoiceFormat) => void;
  /** Reads the e-invoice in the format. Undefined where it can't be made. */
  readXml: (() => Promise<FileResult>) | undefined;
  /** The problems of the e-invoice. */
  children?: ReactNode;
}

/** Shows a PDF in a tab of its own. To be called while a click is handled. */
export async function openPdf(reading: Promise<FileResult>): Promise<void> {
  // A window that is opened later, without a click, would be blocked.
  const tab = window.open('', '_blank');
  const { data: read, error } = await reading;
  if (read?.file) tab?.location.replace(URL.createObjectURL(toBlob(read.file)));
  else {
    tab?.close();
    if (error) notifyError(error);
  }
}

/** The PDF and the e-invoices of an invoice or of a credit note. */
export function Documents({ readPdf, format, onFormat, readXml, children }: Props): ReactNode {
  const download = async (reading: Promise<FileResult>): Promise<void> => {
    const { data: read, error } = await reading;
    if (read?.file) saveFile(read.file.fileName, toBlob(read.file));
    else if (error) notifyError(error);
  };
  return (
    <Card withBorder radius="md" component="section" aria-labelledby="documents">
      <Stack gap="md">
        <Title order={2} size="h4" id="documents">
          {t('Documents')}
        </Title>
        <Group>
          <Button
            variant="default"
            leftSection={<EyeIcon width={18} aria-hidden />}
            onClick={() => void openPdf(readPdf())}
          >
            {t('Preview PDF')}
          </Button>
          <Button
            variant="default"
            leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
            onClick={() => void download(readPdf())}
          >
            {t('Download PDF')}
          </Button>
        </Group>
        <Group align="end">
          <Select
            label={t('E-invoice')}
            data={eInvoiceFormats}
            value={format}
            onChange={(value) => value && onFormat(value)}
          />
          <Button
            variant="default"
            leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
            disabled={!readXml}
            onClick={() => readXml && void download(readXml())}
          >
            {t('Download e-invoice')}
          </Button>
        </Group>
        {children}
      </Stack>
    </Card>
  );
}
