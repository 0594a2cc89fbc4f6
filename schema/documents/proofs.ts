import { hash } from 'node:crypto';
import type { Row } from '../../prisma/client.ts';
import type { Context } from '../context.ts';
import { ValidationError } from '../errors.ts';
import { fileFormats } from './file-formats.ts';
import { invoiceFile } from './invoice-files.ts';

// The proof that the files of issued invoices are those that were made first, and that none is missing. Each proof has the
// hashes of an invoice's files, and is hashed together with the proof before. So whoever knows a later proof's hash can
// prove all earlier files. Proofs are made by a job, in the order of the numbers.

/** How many invoices are proven at a time. A worker that stops waits for as many. */
const batchSize = 20;

/** Makes the files of the first issued invoices that have no proof yet, and proves them. */
export async function proveNext(context: Context): Promise<void> {
  const batch = await unproven(context);
  for (const { id } of batch) await makeAllFiles(context, id);
  if (batch.length > 0) await prove(context, batch);
}

/** Whether there are issued invoices without a proof. */
export const hasUnproven = async (context: Context): Promise<boolean> => (await unproven(context)).length > 0;

interface Issued {
  id: string;
  number: string;
}

/** The first invoices without a proof, in the order of their numbers. Those of a year are counted without gaps. */
const unproven = (context: Context): Promise<Issued[]> =>
  context.db.$rows<Issued>(
    `select id, number from invoices where tenant_id = $1 and number is not null and not exists (
       select from document_proofs as proof where proof.tenant_id = $1 and proof.invoice_id = invoices.id
     ) order by extract(year from invoice_date), length(number), number limit $2`,
    [batchSize],
  );

/** Makes each file that the invoice can have. */
async function makeAllFiles(context: Context, id: string): Promise<void> {
  for (const format of fileFormats)
    await invoiceFile(context, id, format).catch((error: unknown) => {
      // The invoice breaks rules of the format. It can't be changed any more, so there is no such file.
      if (!(error instanceof ValidationError)) throw error;
    });
}

/** Adds the proofs of a batch, unless another process proves now or has proven some of them. */
async function prove(context: Context, batch: Issued[]): Promise<void> {
  await context.transaction(async (inside) => {
    if (!(await inside.db.tryAdvisoryLock('document proofs'))) return;
    const current = await unproven(inside);
    if (!batch.every(({ id }, at) => current[at]?.id === id)) return;
    const files = await inside.db.invoiceFile.findMany({
      where: { invoiceId: { in: batch.map(({ id }) => id) } },
      select: { invoiceId: true, format: true, sha256: true },
    });
    let last = await inside.db.documentProof.findFirst({ orderBy: { position: 'desc' } });
    const proofs: Row<'DocumentProof'>[] = [];
    for (const { id, number } of batch) {
      const content = contentOf(
        number,
        files.filter(({ invoiceId }) => invoiceId === id),
      );
      const proof = { position: (last?.position ?? 0) + 1, invoiceId: id, content, hash: hashOf(last?.hash, content) };
      proofs.push((last = inside.db.row('DocumentProof', proof)));
    }
    await inside.db.insert({ DocumentProof: proofs });
  });
}

/** What a proof says, as text: `{"number":"2026-0017","files":{"pdf":"9f86…","peppol":"60b7…"}}`. */
export function contentOf(number: string, files: { format: string; sha256: Uint8Array }[]): string {
  const hashes = files.map(({ format, sha256 }) => [format, Buffer.from(sha256).toString('hex')] as const);
  return JSON.stringify({ number, files: Object.fromEntries(hashes.toSorted(([a], [b]) => (a < b ? -1 : 1))) });
}

/** The hash of a proof. @param before the hash of the proof before; undefined for the first one */
export const hashOf = (before: Uint8Array | undefined, content: string): Buffer<ArrayBuffer> =>
  hash('sha256', Buffer.concat([before ?? Buffer.alloc(32), Buffer.from(content)]), 'buffer') as Buffer<ArrayBuffer>;
