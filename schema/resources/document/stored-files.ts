import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../graphql/context.ts';
import { refuse, TryLaterError } from '../../errors/errors.ts';
import { FairLimiter } from '../../graphql/execution/concurrency-limiter.ts';
import { eInvoiceFormats } from '../../documents/e-invoice/formats.ts';
import type { DocumentFile } from '../../documents/document-file.ts';
import { nameFor } from '../../documents/file-names.ts';
import { readSource, type DocumentKey } from './read-source.ts';
import type { DocumentSource } from '../../documents/document-source.ts';
import type { FileFormat } from '../../documents/file-formats.ts';
import { makeFile } from '../../documents/make-file.ts';

// The files of invoices and credit notes. An issued document's file is made once, from what was frozen when it was issued,
// and stored. Whoever asks for a PDF while it is made, in whichever process, waits for it. Once the files are proven, none is
// added: the proof says which there are.

/** How long a request waits for a file: less than it may take as a whole (src/server/http/timeouts.ts). In milliseconds. */
const maxWaitMs = 8_000;
/** How often a file is looked for that another process makes. In milliseconds. */
const pollMs = 200;
/** How long a transaction may take in which a file is made. In milliseconds. */
const makingLimits = { timeout: 60_000 };

/** Making a PDF takes a while: each tenant has one made at a time. */
export const pdfTurns = new FairLimiter();

/**
 * A file of a document, for a request. If that takes too long, the client is asked to try again. A file whose turn has come is
 * made all the same; what waits for its turn is given up.
 * @throws TryLaterError; and as documentFile()
 */
export const documentFileInTime = (
  context: Context,
  document: DocumentKey,
  format: FileFormat,
): Promise<DocumentFile> => inTime((signal) => documentFile(context, document, format, signal));

/** The PDF of an invoice that isn't stored, with a watermark, for a request. @throws TryLaterError */
export const previewInTime = (context: Context, source: DocumentSource): Promise<DocumentFile> =>
  inTime((signal) =>
    pdfTurns.run(context.tenant.holder, async () => {
      signal.throwIfAborted();
      return buildFile('draft', 'pdf', await makeFile(context, source, 'pdf'));
    }),
  );

function inTime(make: (signal: AbortSignal) => Promise<DocumentFile>): Promise<DocumentFile> {
  const given = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      given.abort(new TryLaterError());
      reject(given.signal.reason as TryLaterError);
    }, maxWaitMs);
    make(given.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/**
 * A file of a document. The PDF of a draft has a watermark, and isn't stored.
 * @param signal its reason is thrown if it is aborted before the file's turn has come
 * @throws NotFoundError; ValidationError with the rules that the document breaks in the format
 */
export async function documentFile(
  context: Context,
  document: DocumentKey,
  format: FileFormat,
  signal?: AbortSignal,
): Promise<DocumentFile> {
  for (;;) {
    const stored = await findStored(context, document, format);
    if (stored) return stored;
    const make = async (): Promise<DocumentFile | undefined> => {
      signal?.throwIfAborted();
      return makeDocumentFile(context, document, format);
    };
    const made = await (format === 'pdf' ? pdfTurns.run(context.tenant.holder, make) : make());
    if (made) return made;
    await sleep(pollMs, undefined, { signal });
  }
}

/** @returns undefined if another process is making the file */
async function makeDocumentFile(
  context: Context,
  document: DocumentKey,
  format: FileFormat,
): Promise<DocumentFile | undefined> {
  const stored = await findStored(context, document, format);
  if (stored) return stored;
  const source = await readSource(context, document);
  if (source.number === null) return buildFile('draft', format, await makeFile(context, source, format));
  if (format !== 'pdf') return makeAndStore(context, document, source, format);
  return context.transaction(async (inside) => {
    if (!(await inside.db.tryAdvisoryLock(`pdf ${JSON.stringify(document)}`))) return undefined;
    return (await findStored(inside, document, format)) ?? (await makeAndStore(inside, document, source, format));
  }, makingLimits);
}

async function makeAndStore(
  context: Context,
  document: DocumentKey,
  source: DocumentSource,
  format: FileFormat,
): Promise<DocumentFile> {
  const bytes = await makeFile(context, source, format);
  // A later version of the rules may allow what was refused when the files were made.
  if (await context.db.documentProof.findFirst({ where: document }))
    refuse('format', 'wrong_state', 'This document was issued without a file in this format.');
  const sha256 = hash('sha256', bytes, 'buffer');
  const row = context.db.row('InvoiceFile', { ...document, format, bytes, sha256 });
  await context.db.insertNew('InvoiceFile', [row], [...Object.keys(document), 'format']);
  return (await findStored(context, document, format)) ?? buildFile(source.number ?? '', format, bytes);
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
  return stored ? buildFile(name, format, stored.bytes) : undefined;
}

function buildFile(named: string, format: FileFormat, bytes: Uint8Array): DocumentFile {
  const name = nameFor(named);
  if (format === 'pdf') return { fileName: `${name}.pdf`, mediaType: 'application/pdf', bytes };
  return { fileName: `${name}-${eInvoiceFormats[format].fileName}`, mediaType: 'application/xml', bytes };
}
