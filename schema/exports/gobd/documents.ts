import type { Context } from '../../graphql/context.ts';

/** A stored file of a document of the period. */
export interface StoredFile {
  name: string;
  bytes: Uint8Array;
}

/** So many are found at a time. Each is read alone: a PDF may have some megabytes. */
const pageSize = 100;

/** The files of issued invoices and of credit notes that are dated in a period, by their ids. */
export async function* readFiles({ db }: Context, { from, to }: { from: Date; to: Date }): AsyncGenerator<StoredFile> {
  const days = { gte: from, lte: to };
  const where = { OR: [{ invoice: { invoiceDate: days } }, { creditNote: { creditNoteDate: days } }] };
  const number = { select: { number: true } } as const;
  const select = { id: true, format: true, invoice: number, creditNote: number } as const;
  for (let after: string | undefined; ;) {
    const query = { where: { ...where, ...(after !== undefined && { id: { gt: after } }) }, select, take: pageSize };
    const files = await db.invoiceFile.findMany({ ...query, orderBy: { id: 'asc' } });
    for (const { id, format, invoice, creditNote } of files) {
      const file = await db.invoiceFile.findFirst({ where: { id }, select: { bytes: true } });
      const document = invoice?.number ?? creditNote?.number ?? id;
      const ending = format === 'pdf' ? 'pdf' : `${format}.xml`;
      if (file) yield { name: `documents/${document}.${ending}`, bytes: file.bytes };
    }
    if (files.length < pageSize) return;
    after = files.at(-1)?.id;
  }
}
