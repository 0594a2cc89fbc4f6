import { hash } from 'node:crypto';
import type { Context } from '../context.ts';
import { contentOf, hashOf } from './proofs.ts';

/** How many proofs or files are read at a time. */
const batchSize = 20;

/** What a verification has found. */
export interface Verification {
  /** How many invoices and credit notes agree with their proofs. */
  documents: number;
  /** How many files agree with their hashes. */
  files: number;
  /** How many issued invoices and credit notes have no proof yet. */
  unproven: number;
  /** The hash of the last proof that agrees, in hexadecimal digits; null if there is none. It proves all earlier ones. */
  hash: string | null;
  /** The first difference, as a sentence; null if there is none. */
  difference: string | null;
}

class Difference extends Error {}

/** Computes the hashes of all files and proofs of the tenant again, in the order of the proofs, until one differs. */
export async function verifyDocuments(context: Context): Promise<Verification> {
  const found: Verification = { documents: 0, files: 0, unproven: 0, hash: null, difference: null };
  try {
    await verifyProofs(context, found);
    await verifyOtherFiles(context, found);
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    found.difference = error.message;
  }
  const [invoices, creditNotes] = await Promise.all([
    context.db.invoice.count({ where: { number: { not: null }, proof: null } }),
    context.db.creditNote.count({ where: { proof: null } }),
  ]);
  found.unproven = invoices + creditNotes;
  return found;
}

const file = { select: { format: true, sha256: true, bytes: true } } as const;
const document = { select: { number: true, files: file } } as const;
const itsNumber = { select: { number: true } } as const;

async function verifyProofs({ db }: Context, found: Verification): Promise<void> {
  let before: Uint8Array | undefined;
  for (;;) {
    const proofs = await db.documentProof.findMany({
      where: { position: { gt: found.documents } },
      orderBy: { position: 'asc' },
      take: batchSize,
      include: { invoice: document, creditNote: document },
    });
    for (const proof of proofs) {
      const { position, content, hash: stated } = proof;
      const { number = '', files = [] } = proof.invoice ?? proof.creditNote ?? {};
      const name = nameOf(proof);
      if (position !== found.documents + 1) throw new Difference(`Proof ${position - 1} is missing`);
      for (const each of files) verifyFile(name, each, found);
      if (contentOf(number ?? '', files) !== content)
        throw new Difference(`${name}: its number or its files are not those that were proven`);
      if (!hashOf(before, content).equals(stated))
        throw new Difference(`${name}: its proof does not follow from the proof before it`);
      before = stated;
      found.documents += 1;
      found.hash = Buffer.from(stated).toString('hex');
    }
    if (proofs.length < batchSize) return;
  }
}

/** The files that were made at a request, of documents that have no proof yet. */
async function verifyOtherFiles({ db }: Context, found: Verification): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const files = await db.invoiceFile.findMany({
      where: {
        OR: [{ invoice: { proof: null } }, { creditNote: { proof: null } }],
        ...(after !== undefined && { id: { gt: after } }),
      },
      orderBy: { id: 'asc' },
      take: batchSize,
      select: { id: true, ...file.select, invoice: itsNumber, creditNote: itsNumber },
    });
    for (const each of files) verifyFile(nameOf(each), each, found);
    if (files.length < batchSize) return;
    after = files.at(-1)?.id;
  }
}

const nameOf = ({ invoice, creditNote }: { invoice: Numbered | null; creditNote: Numbered | null }): string =>
  invoice ? `Invoice ${invoice.number}` : `Credit note ${creditNote?.number}`;

interface Numbered {
  number: string | null;
}

interface StoredFile {
  format: string;
  sha256: Uint8Array;
  bytes: Uint8Array;
}

function verifyFile(name: string, { format, bytes, sha256 }: StoredFile, found: Verification): void {
  if (!hash('sha256', bytes, 'buffer').equals(sha256))
    throw new Difference(`${name}: the ${format} file is not the one that was made`);
  found.files += 1;
}
