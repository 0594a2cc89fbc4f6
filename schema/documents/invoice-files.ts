import { hash } from 'node:crypto';
import type { Context } from '../context.ts';
import { refuse } from '../errors.ts';
import { eInvoiceFormats } from '../e-invoice/formats.ts';
import type { DocumentFile } from './document-file.ts';
import type { FileFormat } from './file-formats.ts';
import { readInvoice } from './document-source.ts';
import { makeFile } from './make-file.ts';

// The files of invoices. An issued invoice's file is made once, from what was frozen when it was issued, and stored. If two
// requests make the same file at the same time, one of them is stored, and both are answered that. Once the files are
// proven, none is added: the proof says which there are.

/**
 * A file of an invoice. The PDF of a draft has a watermark, and isn't stored.
 * @throws NotFoundError; ValidationError with the rules that the invoice breaks in the format
 */
export async function invoiceFile(context: Context, invoiceId: string, format: FileFormat): Promise<DocumentFile> {
  const stored = await findStored(context, invoiceId, format);
  if (stored) return stored;
  const source = await readInvoice(context, invoiceId);
  const bytes = await makeFile(context.tenant.id, source, format);
  if (source.number === null) return fileOf(source, format, bytes);
  // A later version of the rules may allow what was refused when the files were made.
  if (await context.db.documentProof.findFirst({ where: { invoiceId } }))
    refuse('format', 'This invoice was issued without a file in this format.');
  const sha256 = hash('sha256', bytes, 'buffer');
  await context.db.invoiceFile.createMany({ data: [{ invoiceId, format, bytes, sha256 }], skipDuplicates: true });
  return (await findStored(context, invoiceId, format)) ?? fileOf(source, format, bytes);
}

async function findStored(context: Context, invoiceId: string, format: FileFormat): Promise<DocumentFile | undefined> {
  const where = { tenantId_invoiceId_format: { tenantId: context.tenant.id, invoiceId, format } };
  const stored = await context.db.invoiceFile.findUnique({ where, include: { invoice: { select: { number: true } } } });
  return stored?.invoice ? fileOf(stored.invoice, format, stored.bytes) : undefined;
}

function fileOf({ number }: { number: string | null }, format: FileFormat, bytes: Uint8Array): DocumentFile {
  const name = number ?? 'draft';
  if (format === 'pdf') return { fileName: `${name}.pdf`, mediaType: 'application/pdf', bytes };
  return { fileName: `${name}-${eInvoiceFormats[format].fileName}`, mediaType: 'application/xml', bytes };
}
