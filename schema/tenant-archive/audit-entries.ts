import { z } from 'zod';
import type { NewRow, Row } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import type { Problems } from '../errors/errors.ts';
import { storable } from '../graphql/input/validators.ts';
import { computeHash, sealedContent, upToLength } from '../resources/audit-log/seal.ts';
import { auditedResources } from '../resources/audit-log/readable.ts';

// A record of the audit log has the text that was sealed, byte for byte, and its seal. So whoever reads the file can compute the
// chain again without a database.

/** An audit entry in a file. */
interface AuditRecord {
  content: string;
  /** The hash of the seal before, and this one's, in hexadecimal digits; null for an entry that is not sealed yet. */
  previous_hash: string | null;
  hash: string | null;
}

/** The most entries, and characters of them, that are read at a time. */
const pageSize = 200;
const pageLength = 250_000;

/** The tenant's entries in the order of their chain. */
export async function* readAuditRecords({ db }: Context): AsyncGenerator<AuditRecord[]> {
  let [position, id] = ['0', '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const rows = await db.$rows<AuditRecord & { id: string; position: string }>(
      `select entry.id, entry.position::text, entry.content, encode(seal.previous_hash, 'hex') as previous_hash,
         encode(seal.hash, 'hex') as hash
       from (${upToLength(
         `select tenant_id, id, audit_entries.position, ${sealedContent} as content from audit_entries
          where tenant_id = $1 and (audit_entries.position, id) > ($2::bigint, $3::uuid)
          order by audit_entries.position, id limit ${pageSize}`,
         pageLength,
       )}) as entry left join audit_seals as seal on seal.tenant_id = $1 and seal.id = entry.id
       order by entry.position, entry.id`,
      [position, id],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => ({ content: row.content, previous_hash: row.previous_hash, hash: row.hash }));
    ({ position, id } = last);
  }
}

const hexadecimal = z.string().regex(/^[0-9a-f]{64}$/);
const recordSchema = z.strictObject({
  content: z.string(),
  previous_hash: hexadecimal.nullable(),
  hash: hexadecimal.nullable(),
});

const id = z.uuid().nullable();
const values = z.record(z.string(), z.unknown()).nullable();
/** In the order in which `content` has them. */
const entrySchema = z.tuple([
  z.uuid(),
  z.iso.datetime({ local: true, precision: 3 }),
  z.enum(['user', 'token', 'session', 'job', 'import', 'command_line']).nullable(),
  id,
  id,
  id,
  id,
  z.string().nullable(),
  z.enum(auditedResources),
  id,
  z.int32().nullable(),
  z.enum(['created', 'updated', 'deleted']),
  values,
  values,
]);

/**
 * Reads records in the order of a file, so that each follows from the one before.
 * @returns a function that gives a record's row, and says what is wrong with it
 */
export function createAuditReader({ db }: Context) {
  let before: string | null = null;
  return (fields: Record<string, unknown>, problems: Problems): Row<'AuditEntry'> | undefined => {
    const record = recordSchema.safeParse(fields);
    if (!record.success) {
      const [issue] = record.error.issues;
      problems.add(issue?.path.join('.') || 'content', 'invalid_format', 'Must be as an export has it.');
      return undefined;
    }
    const { content: text, previous_hash: previous, hash } = record.data;
    const entry = entrySchema.safeParse(asJson(text));
    if (!entry.success) {
      problems.add('content', 'invalid_format', 'Must be an entry of the audit log.');
      return undefined;
    }
    if ((previous === null) !== (hash === null) || (before !== null && previous !== null && previous !== before))
      problems.add('previous_hash', 'inconsistent', 'Must be the hash of the entry before.');
    else if (previous !== null && hash !== computeHash(Buffer.from(previous, 'hex'), { content: text }).toString('hex'))
      problems.add('hash', 'inconsistent', 'Must be that of the entry, and of the one before.');
    before = hash ?? before;
    return db.row('AuditEntry', toRow(entry.data, asExactJson(text)));
  };
}

type ReadEntry = z.infer<typeof entrySchema>;

/** @param exact the same with the texts of its numbers */
function toRow(entry: ReadEntry, exact: unknown): NewRow<'AuditEntry'> {
  const [entryId, at, actorKind, userId, tokenId, sessionId, requestId, job, resource, resourceId, version, action] =
    entry;
  const [before, after] = (exact as unknown[]).slice(-2) as (object | null)[];
  return {
    id: entryId,
    position: 0, // it gets one when it is written
    at: new Date(`${at}Z`),
    actorKind,
    userId,
    tokenId,
    sessionId,
    requestId,
    job,
    resource,
    resourceId,
    version,
    action,
    ...(before && { before }),
    ...(after && { after }),
  };
}

/** A value that PostgreSQL can store; undefined for what is no JSON, or has NUL or half a character in a text. */
function asJson(text: string): unknown {
  const check = (key: string, value: unknown): unknown => {
    if (!storable(key) || (typeof value === 'string' && !storable(value))) throw new SyntaxError('Not storable');
    return value;
  };
  try {
    return JSON.parse(text, check);
  } catch {
    return undefined;
  }
}

/** JSON whose amounts keep their digits: `119.00` would become 119. */
const asExactJson = (text: string): unknown =>
  JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
  );
