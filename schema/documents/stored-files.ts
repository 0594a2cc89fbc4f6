import { hash } from 'node:crypto';
import type { Context } from '../context.ts';
import { refuse } from '../errors.ts';
import { eInvoiceFormats } from '../e-invoice/formats.ts';
import type { DocumentFile } from './document-file.ts';
import { readSource, type DocumentKey } from './document-source.ts';
import type { FileFormat } from './file-formats.ts';
import { makeFile } from './make-file.ts';

// The files of invoices and credit notes. An issued document's file is made once, from what was frozen when it was issued,
// and stored. If two requests make the same file at the same time, one of them is stored, and both are answered that. Once
// the files are proven, none is added: the proof says which there are.

/**
 * A file of a document. The PDF of a draft has a watermark, and isn't stored.
 * @throws NotFoundError; ValidationError with the rules that the document breaks in the format
 */
export async function documentFile(context: Context, document: DocumentKey, format: FileFormat): Promise<DocumentFile> {
  const stored = await findStored(context, document, format);
  if (stored) return stored;
  const source = await readSource(context, document);
  const bytes = await makeFile(context, source, format);
  if (source.number === null) return fileOf('draft', format, bytes);
  // A later version of the rules may allow what was refused when the files were made.
  if (await context.db.documentProof.findFirst({ where: document }))
    refuse('format', 'This document was issued without a file in this format.');
  const sha256 = hash('sha256', bytes, 'buffer');
  await context.db.invoiceFile.createMany({ data: [{ ...document, format, bytes, sha256 }], skipDuplicates: true });
  return (await findStored(context, document, format)) ?? fileOf(source.number, format, bytes);
}

const number = { select: { number: true } } as const;

async function findStored(
  context: Context,
  document: DocumentKey,
  format: FileFormat,
): Promise<DocumentFile | undefined> {
  const include = { invoice: number, creditNote: number };
  const stored = await context.db.invoiceFile.findFirst({ where: { ...document, format }, include });
  const name = stored?.invoice?.number ?? stored?.creditNote?.number ?? '';
  return stored ? fileOf(name, format, stored.bytes) : undefined;
}

function fileOf(name: string, format: FileFormat, bytes: Uint8Array): DocumentFile {
  if (format === 'pdf') return { fileName: `${name}.pdf`, mediaType: 'application/pdf', bytes };
  return { fileName: `${name}-${eInvoiceFormats[format].fileName}`, mediaType: 'application/xml', bytes };
}
