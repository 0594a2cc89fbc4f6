import { useState, type ReactNode } from 'react';
import { useClient } from 'urql';
import { graphql } from '../../graphql.ts';
import { Documents } from '../documents/documents.tsx';
import { SavedFile } from '../documents/file.ts';
import type { EInvoiceFormat } from '../invoices/formats.ts';
import type { CreditNote } from './fields.ts';

const PdfQuery = graphql(
  `
    query CreditNotePdf($id: UUID!) {
      file: creditNotePdf(id: $id) {
        ...SavedFile
      }
    }
  `,
  [SavedFile],
);

const XmlQuery = graphql(
  `
    query CreditNoteXml($id: UUID!, $format: EInvoiceFormat!) {
      file: creditNoteXml(id: $id, format: $format) {
        ...SavedFile
      }
    }
  `,
  [SavedFile],
);

/** The credit note's PDF and its e-invoices. */
export function CreditNoteDocuments({ creditNote: { id } }: { creditNote: Pick<CreditNote, 'id'> }): ReactNode {
  const client = useClient();
  const [format, setFormat] = useState<EInvoiceFormat>('XRECHNUNG_CII');
  return (
    <Documents
      readPdf={() => client.query(PdfQuery, { id }).toPromise()}
      format={format}
      onFormat={setFormat}
      readXml={() => client.query(XmlQuery, { id, format }).toPromise()}
    />
  );
}
