import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import { ValidationError } from '../../errors/errors.ts';
import { fileFormats } from '../../documents/file-formats.ts';
import type { DocumentKey } from './read-source.ts';
import { computeHash, writeContent, writeReceiptContent } from './proof-content.ts';
import { creditNoteData, dataHash, invoiceData } from './proven-data.ts';
import { receiptData, receiptHash } from './proven-receipt.ts';
import { documentFile } from './stored-files.ts';

// The proof that the files of issued invoices and credit notes are those that were made first, and that none is missing; and of the
// attachments of booked receipts. Each
// proof has the hashes of a document's files and data, and is hashed together with the proof before. So whoever knows a later proof's
// hash can prove all earlier files. Proofs are made by a job, in the order of the numbers.

/** How many documents are proven at a time. */
const batchSize = 20;

/**
 * Makes the files of the first documents that have no proof yet, and proves them.
 * @param pause is called after each
 */
export async function proveNext(context: Context, pause?: () => Promise<void>): Promise<void> {
  const batch = await unproven(context);
  for (const each of batch) {
    await makeAllFiles(context, toDocumentKey(each));
    await pause?.();
  }
  if (batch.length > 0) await prove(context, batch);
  await proveReceipts(context);
}

/** Whether there are issued documents, or booked receipts with attachments, without a proof. */
export const hasUnproven = async ({ db }: Context): Promise<boolean> =>
  (await db.unprovenDocument.findFirst()) !== null || (await db.unprovenReceipt.findFirst()) !== null;

type Unproven = Row<'UnprovenDocument'>;

/** The first documents without a proof, in the order of their numbers. Those of a year are counted without gaps. */
const unproven = ({ db }: Context): Promise<Unproven[]> =>
  db.unprovenDocument.findMany({
    orderBy: [{ year: 'asc' }, { isCreditNote: 'asc' }, { numberLength: 'asc' }, { number: 'asc' }],
    take: batchSize,
  });

const toDocumentKey = ({ id, isCreditNote }: Unproven): DocumentKey =>
  isCreditNote ? { creditNoteId: id } : { invoiceId: id };

/** Makes each file that the document can have. */
async function makeAllFiles(context: Context, document: DocumentKey): Promise<void> {
  for (const format of fileFormats)
    await documentFile(context, document, format).catch((error: unknown) => {
      // The document breaks rules of the format. It can't be changed any more, so there is no such file.
      if (!(error instanceof ValidationError)) throw error;
    });
}

/** Adds the proofs of a batch, unless another process proves now or has proven some of them. */
async function prove(context: Context, batch: Unproven[]): Promise<void> {
  await context.transaction(async (inside) => {
    if (!(await inside.db.tryAdvisoryLock('document proofs'))) return;
    const current = await unproven(inside);
    if (!batch.every(({ id }, at) => current[at]?.id === id)) return;
    const keys = batch.map(toDocumentKey);
    const files = await inside.db.invoiceFile.findMany({
      where: { OR: keys },
      select: { invoiceId: true, creditNoteId: true, format: true, sha256: true },
    });
    const data = await dataHashes(inside, batch);
    let last = await inside.db.documentProof.findFirst({ orderBy: { position: 'desc' } });
    const proofs: Row<'DocumentProof'>[] = [];
    const createdAt = inside.now();
    for (const each of batch) {
      const content = writeContent({
        number: each.number,
        at: createdAt.toISOString(),
        files: Object.fromEntries(
          files
            .filter(({ invoiceId, creditNoteId }) => (invoiceId ?? creditNoteId) === each.id)
            .map(({ format, sha256 }) => [format, Buffer.from(sha256).toString('hex')]),
        ),
        data: data.get(each.id) ?? '',
      });
      const position = (last?.position ?? 0) + 1;
      const proof = { position, ...toDocumentKey(each), content, hash: computeHash(last?.hash, content), createdAt };
      proofs.push((last = inside.db.row('DocumentProof', proof)));
    }
    await inside.insert({ DocumentProof: proofs });
  });
}

/** Proves the first booked receipts with attachments that have no proof yet, in the order in which they were booked. */
async function proveReceipts(context: Context): Promise<void> {
  if ((await context.db.unprovenReceipt.findFirst()) === null) return;
  await context.transaction(async (inside) => {
    const { db } = inside;
    if (!(await db.tryAdvisoryLock('document proofs'))) return;
    const batch = await db.unprovenReceipt.findMany({
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: batchSize,
    });
    const among = { id: { in: batch.map(({ id }) => id) } };
    const receipts = new Map(
      (await db.receipt.findMany({ where: among, include: receiptData })).map((receipt) => [receipt.id, receipt]),
    );
    let last = await db.documentProof.findFirst({ orderBy: { position: 'desc' } });
    const proofs: Row<'DocumentProof'>[] = [];
    const createdAt = inside.now();
    for (const { id } of batch) {
      const receipt = receipts.get(id);
      if (!receipt) continue;
      const content = writeReceiptContent({
        receipt: id,
        at: createdAt.toISOString(),
        attachments: receipt.attachments.map(({ sha256 }) => Buffer.from(sha256).toString('hex')),
        data: receiptHash(receipt),
      });
      const position = (last?.position ?? 0) + 1;
      const proof = { position, receiptId: id, content, hash: computeHash(last?.hash, content), createdAt };
      proofs.push((last = db.row('DocumentProof', proof)));
    }
    await inside.insert({ DocumentProof: proofs });
  });
}

/** The hashes of what the documents of a batch say, by their ids. */
async function dataHashes({ db }: Context, batch: Unproven[]): Promise<Map<string, string>> {
  const among = { id: { in: batch.map(({ id }) => id) } };
  const documents = [
    ...(await db.invoice.findMany({ where: among, include: invoiceData })),
    ...(await db.creditNote.findMany({ where: among, include: creditNoteData })),
  ];
  return new Map(documents.map((document) => [document.id, dataHash(document, 2)]));
}
