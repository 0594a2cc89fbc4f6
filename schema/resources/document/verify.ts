import { hash } from 'node:crypto';
import type { Context } from '../../graphql/context.ts';
import { buildContent, computeHash, provenFile, provesData } from './proofs.ts';
import { creditNoteData, dataHash, invoiceData } from './proven-data.ts';

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

/** What has the difference: a file, a document, or a proof, by its id. */
export interface Place {
  type: 'invoice' | 'credit_note' | 'invoice_file' | 'document_proof';
  key: string;
}

class Difference extends Error {
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }
}

/**
 * Computes the hashes of all files and proofs of the tenant again, in the order of the proofs, until one differs.
 * @param onDifference is told where
 */
export async function verifyDocuments(context: Context, onDifference?: (place: Place) => void): Promise<Verification> {
  const found: Verification = { documents: 0, files: 0, unproven: 0, hash: null, difference: null };
  try {
    await verifyProofs(context, found);
    await verifyOtherFiles(context, found);
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    found.difference = error.message;
    onDifference?.(error.place);
  }
  const [invoices, creditNotes] = await Promise.all([
    context.db.invoice.count({ where: { number: { not: null }, proof: null } }),
    context.db.creditNote.count({ where: { proof: null } }),
  ]);
  found.unproven = invoices + creditNotes;
  return found;
}

const file = { select: { id: true, format: true, sha256: true, bytes: true } } as const;
const itsNumber = { select: { number: true } } as const;

async function verifyProofs({ db }: Context, found: Verification): Promise<void> {
  let before: Uint8Array | undefined;
  for (;;) {
    const proofs = await db.documentProof.findMany({
      where: { position: { gt: found.documents } },
      orderBy: { position: 'asc' },
      take: batchSize,
      include: {
        invoice: { include: { ...invoiceData, files: file } },
        creditNote: { include: { ...creditNoteData, files: file } },
      },
    });
    for (const proof of proofs) {
      const { id, position, content, hash: stated } = proof;
      const document = proof.invoice ?? proof.creditNote;
      const place: Place = { type: 'document_proof', key: id };
      const name = getName(proof);
      if (position !== found.documents + 1) throw new Difference(place, `Proof ${position - 1} is missing`);
      if (!document) throw new Difference(place, `Proof ${position} is of no document`);
      for (const each of document.files) verifyFile(name, each, found);
      const data = provesData(content) ? dataHash(document) : undefined;
      if (!computeHash(before, content).equals(stated))
        throw new Difference(place, `${name}: its proof does not follow from the proof before it`);
      if (data !== undefined && !content.endsWith(`,"data":"${data}"}`))
        throw new Difference(
          { type: proof.invoice ? 'invoice' : 'credit_note', key: document.id },
          `${name}: what it says is not what was proven`,
        );
      if (buildContent(document.number ?? '', document.files, data) !== content) {
        const added = document.files.find(({ format, sha256 }) => !content.includes(provenFile(format, sha256)));
        throw new Difference(
          added ? { type: 'invoice_file', key: added.id } : place,
          `${name}: its number or its files are not those that were proven`,
        );
      }
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
      select: { ...file.select, invoice: itsNumber, creditNote: itsNumber },
    });
    for (const each of files) verifyFile(getName(each), each, found);
    if (files.length < batchSize) return;
    after = files.at(-1)?.id;
  }
}

const getName = ({ invoice, creditNote }: { invoice: Numbered | null; creditNote: Numbered | null }): string =>
  invoice ? `Invoice ${invoice.number}` : `Credit note ${creditNote?.number}`;

interface Numbered {
  number: string | null;
}

interface StoredFile {
  id: string;
  format: string;
  sha256: Uint8Array;
  bytes: Uint8Array;
}

function verifyFile(name: string, { id, format, bytes, sha256 }: StoredFile, found: Verification): void {
  if (!hash('sha256', bytes, 'buffer').equals(sha256))
    throw new Difference({ type: 'invoice_file', key: id }, `${name}: the ${format} file is not the one that was made`);
  found.files += 1;
}
