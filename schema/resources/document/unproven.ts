import type { Context } from '../../graphql/context.ts';

/** How long after it was issued a document may be without a proof: a job proves it within seconds, if nothing is in its way. */
export const provenWithinMs = 60 * 60 * 1000;

/** How many documents are read at a time. */
const batchSize = 500;

/** An issued document that has no proof. */
export interface UnprovenDocument {
  id: string;
  number: string;
  isCreditNote: boolean;
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

const statements = [
  { isCreditNote: false, sql: unprovenSql('invoices', 'invoice', 'coalesce(issued_at, document.created_at)') },
  { isCreditNote: true, sql: unprovenSql('credit_notes', 'credit_note', 'document.created_at') },
];

/** All issued documents without a proof. */
export async function* findUnproven({ db, now }: Context): AsyncGenerator<UnprovenDocument> {
  const before = new Date(now().getTime() - provenWithinMs).toISOString();
  for (const { isCreditNote, sql } of statements) {
    for (let after = noId; ;) {
      const rows = await db.$rows<Omit<UnprovenDocument, 'isCreditNote'>>(sql, [after, before]);
      for (const row of rows) yield { ...row, isCreditNote };
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = last.id;
    }
  }
}
