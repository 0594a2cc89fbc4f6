import type { Context } from '../../graphql/context.ts';

/** How long after it was issued a document may be without a proof: a job proves it within seconds, if nothing is in its way. */
export const provenWithinMs = 60 * 60 * 1000;

/** How many documents are read at a time. */
const batchSize = 500;

/** An issued document, or a booked receipt with attachments, that has no proof. */
export interface UnprovenDocument {
  id: string;
  /** Null where a supplier has given a receipt none. */
  number: string | null;
  type: 'invoice' | 'credit_note' | 'receipt';
  /** Whether it should have been proven by now. */
  isLate: boolean;
}

const noId = '00000000-0000-0000-0000-000000000000';

/**
 * Documents without a proof, of one table. An imported one is as old as its entry in the audit log, whatever its dates say.
 * The query doesn't rely on the queue of the job, which somebody could have emptied.
 */
const unprovenSql = (table: string, resource: string, issued: string): string => `
  select document.id, document.number, ${issued} < $3::timestamptz and not exists (
    select from audit_entries as entry
    where entry.tenant_id = $1 and entry.resource_id = document.id and entry.resource = '${resource}'
      and entry.action = 'created' and entry.at >= $3::timestamptz
  ) as "isLate"
  from ${table} as document
  left join document_proofs as proof on proof.tenant_id = $1 and proof.${resource}_id = document.id
  where document.tenant_id = $1 and document.number is not null and proof.id is null and document.id > $2::uuid
  order by document.id limit ${batchSize}`;

/** A receipt is booked when the audit log says so. */
const unprovenReceiptsSql = `
  select document.id, document.receipt_number as number, not exists (
    select from audit_entries as entry
    where entry.tenant_id = $1 and entry.resource_id = document.id and entry.resource = 'receipt'
      and (entry.action = 'created' or entry.after ->> 'status' = 'booked') and entry.at >= $3::timestamptz
  ) as "isLate"
  from receipts as document
  left join document_proofs as proof on proof.tenant_id = $1 and proof.receipt_id = document.id
  where document.tenant_id = $1 and document.status <> 'draft' and proof.id is null and document.id > $2::uuid
    and exists (select from attachments where tenant_id = $1 and receipt_id = document.id)
  order by document.id limit ${batchSize}`;

const statements = [
  { type: 'invoice', sql: unprovenSql('invoices', 'invoice', 'coalesce(issued_at, document.created_at)') },
  { type: 'credit_note', sql: unprovenSql('credit_notes', 'credit_note', 'document.created_at') },
  { type: 'receipt', sql: unprovenReceiptsSql },
] as const;

/** All of them. */
export async function* findUnproven({ db, now }: Context): AsyncGenerator<UnprovenDocument> {
  const before = new Date(now().getTime() - provenWithinMs).toISOString();
  for (const { type, sql } of statements) {
    for (let after = noId; ;) {
      const rows = await db.$rows<Omit<UnprovenDocument, 'type'>>(sql, [after, before]);
      for (const row of rows) yield { ...row, type };
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = last.id;
    }
  }
}
