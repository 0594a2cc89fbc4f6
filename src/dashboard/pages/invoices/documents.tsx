import { Alert, Button, Card, Group, Select, Stack, Text, Title } from '@mantine/core';
import { ArrowDownTrayIcon, EyeIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useClient, useQuery } from 'urql';
import { notifyError } from '../../components/toast.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Breaches } from './breaches.tsx';
import type { Invoice } from './fields.ts';
import { eInvoiceFormats, type EInvoiceFormat } from './formats.ts';

const file = graphql(`
  fragment SavedFile on DocumentFile {
    fileName
    mediaType
    base64
  }
`);

const PdfQuery = graphql(
  `
    query InvoicePdf($id: UUID!) {
      file: invoicePdf(id: $id) {
        ...SavedFile
      }
    }
  `,
  [file],
);

const XmlQuery = graphql(
  `
    query InvoiceXml($id: UUID!, $format: EInvoiceFormat!) {
      file: invoiceXml(id: $id, format: $format) {
        ...SavedFile
      }
    }
  `,
  [file],
);

const RequiredEInvoice = graphql(`
  query RequiredEInvoice($customerId: UUID!) {
    required: requiredEInvoice(customerId: $customerId)
  }
`);

const PreflightQuery = graphql(`
  query InvoicePreflight($id: UUID!, $format: EInvoiceFormat!) {
    breaches: invoicePreflight(id: $id, format: $format) {
      rule
      field
      message
    }
  }
`);

type File = Pick<ResultOf<typeof file>, 'fileName' | 'mediaType' | 'base64'>;

/** The invoice's PDF and its e-invoices; for each format, what is still missing. */
export function InvoiceDocuments({ invoice }: { invoice: Invoice }): ReactNode {
  const { id, status, customer } = invoice;
  const client = useClient();
  const [chosen, setChosen] = useState<EInvoiceFormat | null>(null);
  const [{ data: requirement, fetching }] = useQuery({
    query: RequiredEInvoice,
    variables: { customerId: customer.id },
  });
  const format = chosen ?? requirement?.required ?? 'XRECHNUNG_CII';
  const [{ data }] = useQuery({ query: PreflightQuery, variables: { id, format }, pause: fetching });
  const breaches = data?.breaches ?? [];
  const isDraft = status === 'DRAFT';

  const readPdf = () => client.query(PdfQuery, { id }).toPromise();
  const preview = async (): Promise<void> => {
    // A window that is opened later, without a click, would be blocked.
    const tab = window.open('', '_blank');
    const { data: read, error } = await readPdf();
    if (read) tab?.location.replace(URL.createObjectURL(blobOf(read.file)));
    else {
      tab?.close();
      if (error) notifyError(error);
    }
  };
  const downloadPdf = async (): Promise<void> => {
    const { data: read, error } = await readPdf();
    if (read) save(read.file);
    else if (error) notifyError(error);
  };
  const downloadXml = async (): Promise<void> => {
    const { data: read, error } = await client.query(XmlQuery, { id, format }).toPromise();
    if (read) save(read.file);
    else if (error) notifyError(error);
  };

  return (
    <Card withBorder radius="md" component="section" aria-labelledby="documents">
      <Stack gap="md">
        <Title order={2} size="h4" id="documents">
          Documents
        </Title>
        <Group>
          <Button variant="default" leftSection={<EyeIcon width={18} aria-hidden />} onClick={() => void preview()}>
            Preview PDF
          </Button>
          <Button
            variant="default"
            leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
            onClick={() => void downloadPdf()}
          >
            Download PDF
          </Button>
        </Group>
        <Group align="end">
          <Select
            label="E-invoice"
            data={eInvoiceFormats}
            value={format}
            allowDeselect={false}
            onChange={(value) => value && setChosen(value)}
          />
          <Button
            variant="default"
            leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
            disabled={isDraft || !data || breaches.length > 0}
            onClick={() => void downloadXml()}
          >
            Download e-invoice
          </Button>
        </Group>
        {breaches.length > 0 ? (
          <Alert color="yellow" title={isDraft ? 'Missing for this e-invoice' : 'This e-invoice can’t be made'}>
            <Breaches breaches={breaches} />
          </Alert>
        ) : (
          data &&
          isDraft && (
            <Text size="sm" c="dimmed">
              Nothing is missing for this e-invoice. It is made when the invoice is issued.
            </Text>
          )
        )}
      </Stack>
    </Card>
  );
}

function blobOf({ base64, mediaType }: File): Blob {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: mediaType });
}

function save(given: File): void {
  const url = URL.createObjectURL(blobOf(given));
  const link = document.createElement('a');
  link.href = url;
  link.download = given.fileName;
  link.click();
  URL.revokeObjectURL(url);
}
