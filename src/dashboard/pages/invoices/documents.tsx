import { Alert, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useClient, useQuery } from 'urql';
import { graphql } from '../../graphql.ts';
import { Documents } from '../documents/documents.tsx';
import { SavedFile } from '../documents/file.ts';
import { Breaches } from './breaches.tsx';
import type { Invoice } from './fields.ts';
import type { EInvoiceFormat } from './formats.ts';
import { t } from '../../i18n/t.ts';

export const PdfQuery = graphql(
  `
    query InvoicePdf($id: UUID!) {
      file: invoicePdf(id: $id) {
        ...SavedFile
      }
    }
  `,
  [SavedFile],
);

const XmlQuery = graphql(
  `
    query InvoiceXml($id: UUID!, $format: EInvoiceFormat!) {
      file: invoiceXml(id: $id, format: $format) {
        ...SavedFile
      }
    }
  `,
  [SavedFile],
);

export const RequiredEInvoice = graphql(`
  query RequiredEInvoice($customerId: UUID!) {
    required: requiredEInvoice(customerId: $customerId)
  }
`);

export const PreflightQuery = graphql(`
  query InvoicePreflight($id: UUID!, $format: EInvoiceFormat!) {
    breaches: invoicePreflight(id: $id, format: $format) {
      rule
      field
      message
    }
  }
`);

/** The invoice's PDF and its e-invoices; for each format, what is still missing. */
export function InvoiceDocuments({ invoice, hasWarnings }: { invoice: Invoice; hasWarnings: boolean }): ReactNode {
  const { id, status, customer } = invoice;
  const client = useClient();
  const [chosen, setChosen] = useState<EInvoiceFormat | null>(null);
  const [{ data: requirement, fetching }] = useQuery({
    query: RequiredEInvoice,
    variables: { customerId: customer.id },
  });
  const format = chosen ?? requirement?.required ?? 'XRECHNUNG_CII';
  const [{ data }] = useQuery({ query: PreflightQuery, variables: { id, format }, pause: fetching });
  const breaches = data?.breaches;
  const isDraft = status === 'DRAFT';
  const canSave = !isDraft && breaches?.length === 0;
  return (
    <Documents
      readPdf={() => client.query(PdfQuery, { id }).toPromise()}
      format={format}
      onFormat={setChosen}
      readXml={canSave ? () => client.query(XmlQuery, { id, format }).toPromise() : undefined}
    >
      {breaches && breaches.length > 0 ? (
        <Alert color="yellow" title={isDraft ? t('Missing for this e-invoice') : t('This e-invoice can’t be made')}>
          <Breaches breaches={breaches} />
        </Alert>
      ) : (
        breaches &&
        isDraft && (
          <Text size="sm" c="dimmed">
            {hasWarnings
              ? t('The format’s own rules are kept. It is made when the invoice is issued.')
              : t('Nothing is missing for this e-invoice. It is made when the invoice is issued.')}
          </Text>
        )
      )}
    </Documents>
  );
}
