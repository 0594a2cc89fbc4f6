import { createHash, hash } from 'node:crypto';
import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import type { Head } from '../anchor/content.ts';
import type { Report } from '../difference.ts';
import { attachmentKey } from '../attachment/files.ts';
import { computeHash, isOfReceipt, readContent, type DocumentContent, type ReceiptContent } from './proof-content.ts';
import { creditNoteData, dataHash, invoiceData, type WholeDocument } from './proven-data.ts';
import { receiptData, receiptHash, type WholeReceipt } from './proven-receipt.ts';
import { findUnproven } from './unproven.ts';

/** How many proofs or files are read at a time. */
const batchSize = 20;

export interface VerifyDocumentsOptions {
  report?: Report;
  /** Proofs that were noted earlier: all up to them must be as they were then. */
  expected?: readonly Head[];
  /** Whether documents that were issued a moment ago need a proof, too. */
  needAll?: boolean;
}

/** The result of a verification. */
export interface Verification {
  /** How many invoices, credit notes, and receipts with attachments agree with their proofs. */
  documents: number;
  /** How many files, attachments among them, agree with their hashes. */
  files: number;
  /** How many issued invoices and credit notes have no proof yet. */
  unproven: number;
  /** The last proof up to which all follow from each other; null if there is none. It proves all earlier ones. */
  position: number | null;
  hash: string | null;
  /** The first difference; null if there is none. */
  difference: string | null;
}

/** Computes the hashes of all files and proofs of the tenant again, in the order of the proofs. */
export async function verifyDocuments(
  context: Context,
  { report = () => {}, expected = [], needAll = false }: VerifyDocumentsOptions = {},
): Promise<Verification> {
  const found: Verification = { documents: 0, files: 0, unproven: 0, position: null, hash: null, difference: null };
  const check: Check = {
    found,
    add: (type, id, message) => {
      found.difference ??= message;
      report({ type, id, message });
    },
  };
  await verifyProofs(context, check, expected);
  await verifyOtherFiles(context, check);
  await verifyAttachments(context, check);
  for await (const { type, id, number, isLate } of findUnproven(context)) {
    found.unproven += 1;
    if (!isLate && !needAll) continue;
    check.add(type, id, `${nouns[type]} ${number ?? id} has no proof`);
  }
  return found;
}

interface Check {
  found: Verification;
  add: (type: DocumentType, id: string | null, message: string) => void;
}

type DocumentType = 'invoice' | 'credit_note' | 'receipt' | 'invoice_file' | 'attachment' | 'document_proof';

const nouns = { invoice: 'Invoice', credit_note: 'Credit note', receipt: 'Receipt' } as const;

const file = { select: { id: true, format: true, sha256: true, bytes: true } } as const;
const itsNumber = { select: { number: true } } as const;

async function verifyProofs({ db }: Context, check: Check, expected: readonly Head[]): Promise<void> {
  const noted = Map.groupBy(expected, ({ position }) => position);
  let [last, isWhole] = [0, true];
  let before: Uint8Array | undefined;
  for (;;) {
    const proofs = await db.documentProof.findMany({
      where: { position: { gt: last } },
      orderBy: { position: 'asc' },
      take: batchSize,
      include: {
        invoice: { include: { ...invoiceData, files: file } },
        creditNote: { include: { ...creditNoteData, files: file } },
        receipt: { include: receiptData },
      },
    });
    for (const { id, position, content: text, hash: stated, createdAt, invoice, creditNote, receipt } of proofs) {
      const said = readContent(text);
      const document = invoice ?? creditNote;
      const name = document ? getName({ invoice, creditNote }) : receipt ? nameOfReceipt(receipt) : `Proof ${position}`;
      const follows = position === last + 1;
      if (!follows) check.add('document_proof', id, sayMissing(last + 1, position - 1));
      if (follows && !computeHash(before, text).equals(stated))
        check.add('document_proof', id, `${name}: its proof does not follow from the proof before it`);
      else if (follows && isWhole)
        [check.found.position, check.found.hash] = [position, Buffer.from(stated).toString('hex')];
      isWhole &&= check.found.position === position;
      if (!said) check.add('document_proof', id, `${name}: its proof can't be read`);
      else if (isOfReceipt(said)) {
        if (!receipt || receipt.id !== said.receipt)
          check.add('document_proof', id, `${name}: its receipt ${said.receipt} is gone`);
        else if (verifyReceipt({ check, proofId: id, name }, said, createdAt, receipt)) check.found.documents += 1;
      } else if (!document) check.add('document_proof', id, `${name}: its document ${said.number} is gone`);
      else if (verifyDocument({ check, proofId: id, name }, said, createdAt, document)) check.found.documents += 1;
      for (const head of noted.get(position) ?? []) {
        if (Buffer.from(head.hash, 'hex').equals(stated)) continue;
        check.add('document_proof', id, `${name}: its proof is not the one of which a hash was noted at ${position}`);
      }
      noted.delete(position);
      before = stated;
      last = position;
    }
    if (proofs.length < batchSize) break;
  }
  for (const position of noted.keys())
    check.add('document_proof', null, `Proof ${position} is missing, of which a hash was noted`);
}

interface Place {
  check: Check;
  proofId: string;
  name: string;
}

const sayMissing = (from: number, to: number): string =>
  from === to ? `Proof ${from} is missing` : `The proofs ${from} to ${to} are missing`;

type WithFiles<Of> = Of & { files: StoredFile[] };

/** @returns whether the document is as its proof says */
function verifyDocument(
  { check, proofId, name }: Place,
  said: DocumentContent,
  provenAt: Date,
  document: WithFiles<WholeDocument>,
): boolean {
  const type = 'creditNoteDate' in document ? 'credit_note' : 'invoice';
  const differences: Parameters<Check['add']>[] = [];
  if (said.data !== undefined && dataHash(document, 'version' in said ? 2 : 1) !== said.data)
    differences.push([type, document.id, `${name}: what it says is not what was proven`]);
  if (document.number !== said.number)
    differences.push([type, document.id, `${name}: the number that was proven is ${said.number}`]);
  if ('version' in said && provenAt.toISOString() !== said.at)
    differences.push(['document_proof', proofId, `${name}: its proof states another time than was proven`]);
  const proven = new Map(Object.entries(said.files));
  let agrees = true;
  for (const each of document.files) {
    agrees = verifyFile(name, each, check) && agrees;
    const { id, format, sha256 } = each;
    const its = proven.get(format);
    proven.delete(format);
    if (its === undefined)
      differences.push(['invoice_file', id, `${name}: the ${format} file is not among those that were proven`]);
    else if (its !== Buffer.from(sha256).toString('hex'))
      differences.push(['invoice_file', id, `${name}: the ${format} file is not the one that was proven`]);
  }
  for (const format of proven.keys()) differences.push([type, document.id, `${name}: the ${format} file is missing`]);
  for (const difference of differences) check.add(...difference);
  return agrees && differences.length === 0;
}

/** @returns whether the receipt is as its proof says. Its attachments' bytes are compared later. */
function verifyReceipt(
  { check, proofId, name }: Place,
  said: ReceiptContent,
  provenAt: Date,
  receipt: WholeReceipt,
): boolean {
  const differences: Parameters<Check['add']>[] = [];
  if (receiptHash(receipt) !== said.data)
    differences.push(['receipt', receipt.id, `${name}: what it says is not what was proven`]);
  if (provenAt.toISOString() !== said.at)
    differences.push(['document_proof', proofId, `${name}: its proof states another time than was proven`]);
  const { attachments } = receipt;
  for (const [at, { id, filename, sha256 }] of attachments.entries()) {
    const proven = said.attachments[at];
    if (proven === undefined)
      differences.push(['attachment', id, `${name}: the attachment ${filename} is not among those that were proven`]);
    else if (proven !== Buffer.from(sha256).toString('hex'))
      differences.push(['attachment', id, `${name}: the attachment ${filename} is not the one that was proven`]);
  }
  const missing = said.attachments.length - attachments.length;
  if (missing > 0)
    differences.push([
      'receipt',
      receipt.id,
      `${name}: ${missing} of its proven attachments ${missing === 1 ? 'is' : 'are'} missing`,
    ]);
  for (const difference of differences) check.add(...difference);
  return differences.length === 0;
}

const nameOfReceipt = ({ id, receiptNumber }: Pick<WholeReceipt, 'id' | 'receiptNumber'>): string =>
  `Receipt ${receiptNumber ?? id}`;

/** Reads the bytes of all attachments, also of drafts, from the storage of files. */
async function verifyAttachments(context: Context, check: Check): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const attachments = await context.db.attachment.findMany({
      where: after === undefined ? {} : { id: { gt: after } },
      orderBy: { id: 'asc' },
      take: batchSize,
      include: { receipt: { select: { id: true, receiptNumber: true } } },
    });
    for (const attachment of attachments) {
      const problem = await findProblemOfBytes(context, attachment);
      if (problem === undefined) check.found.files += 1;
      else
        check.add(
          'attachment',
          attachment.id,
          `${nameOfReceipt(attachment.receipt)}: the attachment ${attachment.filename} ${problem}`,
        );
    }
    if (attachments.length < batchSize) return;
    after = attachments.at(-1)?.id;
  }
}

async function findProblemOfBytes(
  context: Context,
  attachment: Pick<Row<'Attachment'>, 'id' | 'length' | 'sha256'>,
): Promise<string | undefined> {
  const stored = await context.fileStorage.read(attachmentKey(context.tenant.id, attachment.id));
  if (!stored) return 'is missing in the storage of files';
  const sum = createHash('sha256');
  for await (const part of stored.content as AsyncIterable<Uint8Array>) sum.update(part);
  const isSame = stored.length === attachment.length && sum.digest().equals(attachment.sha256);
  return isSame ? undefined : 'is not the one that was uploaded';
}

/** The files that were made at a request, of documents that have no proof yet. */
async function verifyOtherFiles({ db }: Context, check: Check): Promise<void> {
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
    for (const each of files) verifyFile(getName(each), each, check);
    if (files.length < batchSize) return;
    after = files.at(-1)?.id;
  }
}

interface Numbered {
  number: string | null;
}

const getName = ({ invoice, creditNote }: { invoice?: Numbered | null; creditNote?: Numbered | null }): string =>
  invoice ? `Invoice ${invoice.number}` : `Credit note ${creditNote?.number}`;

interface StoredFile {
  id: string;
  format: string;
  sha256: Uint8Array;
  bytes: Uint8Array;
}

/** @returns whether the file has its hash */
function verifyFile(name: string, { id, format, bytes, sha256 }: StoredFile, { found, add }: Check): boolean {
  const isUntouched = hash('sha256', bytes, 'buffer').equals(sha256);
  if (isUntouched) found.files += 1;
  else add('invoice_file', id, `${name}: the ${format} file is not the one that was made`);
  return isUntouched;
}
