import { hash } from 'node:crypto';
import type { Context } from '../context.ts';
import { contentOf, hashOf } from './proofs.ts';

/** How many proofs or files are read at a time. */
const batchSize = 20;

/** What a verification has found. */
export interface Verification {
  /** How many invoices agree with their proofs. */
  invoices: number;
  /** How many files agree with their hashes. */
  files: number;
  /** How many issued invoices have no proof yet. */
  unproven: number;
  /** The hash of the last proof that agrees, in hexadecimal digits; null if there is none. It proves all earlier ones. */
  hash: string | null;
  /** The first difference, as a sentence; null if there is none. */
  difference: string | null;
}

class Difference extends Error {}

/** Computes the hashes of all files and proofs of the tenant again, in the order of the proofs, until one differs. */
export async function verifyDocuments(context: Context): Promise<Verification> {
  const found: Verification = { invoices: 0, files: 0, unproven: 0, hash: null, difference: null };
  try {
    await verifyProofs(context, found);
    await verifyOtherFiles(context, found);
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    found.difference = error.message;
  }
  found.unproven = await context.db.invoice.count({ where: { number: { not: null }, proof: null } });
  return found;
}

const file = { select: { format: true, sha256: true, bytes: true } } as const;

async function verifyProofs({ db }: Context, found: Verification): Promise<void> {
  let before: Uint8Array | undefined;
  for (;;) {
    const proofs = await db.documentProof.findMany({
      where: { position: { gt: found.invoices } },
      orderBy: { position: 'asc' },
      take: batchSize,
      include: { invoice: { select: { number: true, files: file } } },
    });
    for (const { position, content, hash: stated, invoice } of proofs) {
      const number = invoice?.number ?? '';
      const files = invoice?.files ?? [];
      if (position !== found.invoices + 1) throw new Difference(`Proof ${position - 1} is missing`);
      for (const each of files) verifyFile(number, each, found);
      if (contentOf(number, files) !== content)
        throw new Difference(`Invoice ${number}: its number or its files are not those that were proven`);
      if (!hashOf(before, content).equals(stated))
        throw new Difference(`Invoice ${number}: its proof does not follow from the proof before it`);
      before = stated;
      found.invoices += 1;
      found.hash = Buffer.from(stated).toString('hex');
    }
    if (proofs.length < batchSize) return;
  }
}

/** The files that were made at a request, of invoices that have no proof yet. */
async function verifyOtherFiles({ db }: Context, found: Verification): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const files = await db.invoiceFile.findMany({
      where: { invoice: { proof: null }, ...(after !== undefined && { id: { gt: after } }) },
      orderBy: { id: 'asc' },
      take: batchSize,
      select: { id: true, ...file.select, invoice: { select: { number: true } } },
    });
    for (const { invoice, ...each } of files) verifyFile(invoice?.number ?? '', each, found);
    if (files.length < batchSize) return;
    after = files.at(-1)?.id;
  }
}

interface StoredFile {
  format: string;
  sha256: Uint8Array;
  bytes: Uint8Array;
}

function verifyFile(number: string, { format, bytes, sha256 }: StoredFile, found: Verification): void {
  if (!hash('sha256', bytes, 'buffer').equals(sha256))
    throw new Difference(`Invoice ${number}: the ${format} file is not the one that was made`);
  found.files += 1;
}
