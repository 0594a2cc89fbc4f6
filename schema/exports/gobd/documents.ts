import { uniqueNames } from '../../documents/file-names.ts';
import type { Context } from '../../graphql/context.ts';
import { readAttachment } from '../../resources/attachment/files.ts';

/** A stored file of a document of the period. */
export interface StoredFile {
  name: string;
  content: AsyncIterable<Uint8Array>;
}

/** So many are found at a time. Each is read alone: a PDF may have some megabytes. */
const pageSize = 100;

interface Days {
  from: Date;
  to: Date;
}

/** The files of issued invoices and of credit notes that are dated in a period, by their ids. */
export async function* readFiles({ db }: Context, { from, to }: Days): AsyncGenerator<StoredFile> {
  const days = { gte: from, lte: to };
  const where = { OR: [{ invoice: { invoiceDate: days } }, { creditNote: { creditNoteDate: days } }] };
  const nameOf = uniqueNames();
  const number = { select: { id: true, number: true } } as const;
  const select = { id: true, format: true, invoice: number, creditNote: number } as const;
  for (let after: string | undefined; ;) {
    const query = { where: { ...where, ...(after !== undefined && { id: { gt: after } }) }, select, take: pageSize };
    const files = await db.invoiceFile.findMany({ ...query, orderBy: { id: 'asc' } });
    for (const { id, format, invoice, creditNote } of files) {
      const file = await db.invoiceFile.findFirst({ where: { id }, select: { bytes: true } });
      const document = invoice ?? creditNote;
      const name = nameOf(document?.number ?? id, document?.id ?? id);
      const ending = format === 'pdf' ? 'pdf' : `${format}.xml`;
      if (file) yield { name: `documents/${name}.${ending}`, content: once(file.bytes) };
    }
    if (files.length < pageSize) return;
    after = files.at(-1)?.id;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const endings: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/xml': 'xml',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
};

/** The attachments of booked receipts that are dated in a period. Each is named by the receipt's id and its place: names of files can be alike. */
export async function* readAttachments(context: Context, { from, to }: Days): AsyncGenerator<StoredFile> {
  const where = { receipt: { receiptDate: { gte: from, lte: to }, status: { not: 'DRAFT' } } } as const;
  for (let after: string | undefined; ;) {
    const files = await context.db.attachment.findMany({
      where: { ...where, ...(after !== undefined && { id: { gt: after } }) },
      take: pageSize,
      orderBy: { id: 'asc' },
    });
    for (const { id, receiptId, position, contentType } of files) {
      const { content } = await readAttachment(context, { id });
      const name = `documents/receipts/${receiptId}-${position}.${endings[contentType] ?? 'bin'}`;
      yield { name, content: content as AsyncIterable<Uint8Array> };
    }
    if (files.length < pageSize) return;
    after = files.at(-1)?.id;
  }
}
