import { hash } from 'node:crypto';
import type { Context } from '../../graphql/context.ts';

// The chain of the audit log: each seal has the hash of an entry and of the seal before, in the order of commits. So whoever
// knows a later hash can prove all earlier entries. A job seals, so that no writer waits for another.

/** The most entries, and characters of them, that are read at a time: an entry may have 500 lines of an invoice. */
const batchSize = 500;
const batchLength = 1_000_000;

/** An entry as the chain has it: PostgreSQL's texts, because JavaScript would round amounts. */
export interface SealedEntry {
  id: string;
  position: string;
  content: string;
}

/** The content of an entry, as a JSON array: PostgreSQL's text. */
export const sealedContent = `jsonb_build_array(id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), actor_kind, user_id, token_id,
  session_id, request_id, job, resource, resource_id, version, action, before, after)::text`;

/**
 * The first of the entries that a statement finds, at least one: as many as have so many characters together.
 * @param found has the columns `id`, `position`, and `content`
 */
export const upToLength = (found: string, length: number): string => `
  select entry.* from (
    select found.*, row_number() over in_order as place, sum(length(content)) over in_order as length_so_far
    from (${found}) as found window in_order as (order by found.position, found.id)
  ) as entry where place = 1 or length_so_far <= ${length}`;

/** The hash of a seal. */
export const computeHash = (before: Uint8Array, entry: { content: string }): Buffer<ArrayBuffer> =>
  hash('sha256', Buffer.concat([before, Buffer.from(entry.content)]), 'buffer') as Buffer<ArrayBuffer>;

/**
 * Seals the tenant's next entries, unless another process does.
 * @returns whether there may be more
 */
export const sealNext = (context: Context): Promise<boolean> =>
  context.transaction(async ({ db }) => {
    const last = await db.auditSeal.findFirst({ orderBy: { number: 'desc' } });
    const [ahead] = await db.$rows<{ id: string }>(unsealed('id'), [last?.position ?? 0, last?.id ?? noId, 1]);
    if (!ahead || !(await db.tryAdvisoryLock('audit seals'))) return false;
    // Once the last position is known, every entry up to it can be seen by the next statement. Null while a commit takes long.
    const [end] = await db.$rows<{ position: string | null }>(readEnd, []);
    if (end?.position == null) return false;
    const from = await db.auditSeal.findFirst({ orderBy: { number: 'desc' } });
    const entries = (
      await db.$rows<SealedEntry>(
        `select id, position::text, content from (${upToLength(
          unsealed(`id, audit_entries.position, ${sealedContent} as content`),
          batchLength,
        )}) as entry order by entry.position, id`,
        [from?.position ?? 0, from?.id ?? noId, batchSize],
      )
    ).filter(({ position }) => BigInt(position) <= BigInt(end.position as string));
    let { number, hash: previousHash } = from ?? { number: 0, hash: Buffer.alloc(32) };
    const seals = entries.map((entry) => {
      number += 1;
      const position = BigInt(entry.position);
      const seal = { id: entry.id, number, position, previousHash, hash: computeHash(previousHash, entry) };
      previousHash = seal.hash;
      return db.row('AuditSeal', seal);
    });
    if (seals.length > 0) await db.insert({ AuditSeal: seals });
    return seals.length > 0;
  });

const noId = '00000000-0000-0000-0000-000000000000';

const unsealed = (columns: string): string =>
  `select ${columns} from audit_entries where tenant_id = $1 and (audit_entries.position, id) > ($2::bigint, $3::uuid)
   order by audit_entries.position, id limit $4`;

const readEnd = `
  select last_change_position($1)::text as position
  from (select count(*) from changes where tenant_id = $1 and resource = '') as server`;
