import type { Db } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { replayAuditLog } from '../resources/audit-log/replay.ts';
import { verifyAuditLog, type AuditVerification } from '../resources/audit-log/verify.ts';
import type { Difference, Report } from '../resources/difference.ts';
import { noHeads, readAnchoredHeads, type NotedHeads } from '../resources/anchor/noted-heads.ts';
import { verifyDocuments, type Verification } from '../resources/document/verify.ts';
import { eachViolation } from '../tenant-archive/consistency.ts';
import { verifyNumbers } from './numbers.ts';

/** A verification takes as long as it takes; a transaction needs some limit. One snapshot: others may write meanwhile. */
const limits = { timeout: 24 * 60 * 60 * 1000, isolationLevel: 'RepeatableRead' } as const;

/** The most rows that one rule names in one range of ids. */
const maxViolations = 10_000;

export interface BooksVerification extends Omit<Verification, 'difference'> {
  /** How many differences there are. */
  differences: number;
  auditLog: Omit<AuditVerification, 'difference'>;
}

export interface VerifyBooksOptions {
  /** Is told each difference as soon as it is found. */
  report: Report;
  /** Heads of the chains that were noted earlier, outside of the database. */
  expected?: NotedHeads;
}

/**
 * Compares all books of a tenant with what proves them: documents with their proofs and files, numbers with their sequences, sums
 * with their payments and credit notes, the audit log with its chain, the rows with the audit log, and both chains with the anchors.
 */
export function verifyBooks(
  context: Context,
  { report, expected = noHeads }: VerifyBooksOptions,
): Promise<BooksVerification> {
  return context.transaction(async (inside) => {
    let differences = 0;
    const count: Report = (difference) => {
      differences += 1;
      report(difference);
    };
    const anchored = await readAnchoredHeads(inside, count);
    const { difference: _document, ...documents } = await verifyDocuments(inside, {
      report: count,
      expected: [...expected.documents, ...anchored.documents],
    });
    await verifyNumbers(inside, count);
    await verifySums(inside, count);
    const { difference: _entry, ...auditLog } = await verifyAuditLog(inside, {
      report: count,
      expected: [...expected.auditLog, ...anchored.auditLog],
    });
    await replayAuditLog(inside, count);
    return { ...documents, differences, auditLog };
  }, limits);
}

/** Rules between rows. Files are compared with their proofs. */
async function verifySums({ db }: Context, report: Report): Promise<void> {
  for await (const { type, key, message } of eachViolation(db, maxViolations)) {
    if (type === 'invoice_file') continue;
    report({ type, id: key, message: `${await getName(db, { type, id: key })}: ${message.replace(/\.$/, '')}` });
  }
}

async function getName(
  { invoice, creditNote }: Db,
  { type, id }: Pick<Difference, 'type'> & { id: string },
): Promise<string> {
  const query = { where: { id }, select: { number: true } };
  const document =
    type === 'invoice'
      ? await invoice.findFirst(query)
      : type === 'credit_note'
        ? await creditNote.findFirst(query)
        : null;
  const noun = type.replaceAll('_', ' ');
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${document?.number ?? id}`;
}
