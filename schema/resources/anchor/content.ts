import { z } from 'zod';
import { formatTime } from '../../graphql/scalars/scalars.ts';

// The content of an anchor, as the text that is signed.

/** The last link of a chain: its place, from 1, and its hash in hexadecimal digits. */
export interface Head {
  position: number;
  hash: string;
}

export interface AnchorContent {
  tenantId: string;
  at: Date;
  /** Of the document proofs; null if there is none yet. */
  documents: Head | null;
  /** Of the audit log's seals; null if there is none yet. */
  auditLog: Head | null;
}

const head = z.strictObject({ position: z.int32().positive(), hash: z.string().regex(/^[0-9a-f]{64}$/) }).nullable();
const contentSchema = z.strictObject({
  version: z.literal(1),
  tenant_id: z.uuid(),
  at: z.iso.datetime({ offset: true }),
  documents: head,
  audit_log: head,
});

const writeHead = (value: Head | null): Head | null => value && { position: value.position, hash: value.hash };

/** `{"version":1,"tenant_id":"0197…","at":"2026-11-27T…+00:00","documents":{"position":17,"hash":"6030…"},"audit_log":null}` */
export const writeContent = ({ tenantId, at, documents, auditLog }: AnchorContent): string =>
  JSON.stringify({
    version: 1,
    tenant_id: tenantId,
    at: formatTime(at),
    documents: writeHead(documents),
    audit_log: writeHead(auditLog),
  });

/** Reads the content of an anchor; undefined for a text that no anchor would be written as. */
export function readContent(text: string): AnchorContent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = contentSchema.safeParse(value);
  if (!data) return undefined;
  const content = {
    tenantId: data.tenant_id,
    at: new Date(data.at),
    documents: data.documents,
    auditLog: data.audit_log,
  };
  return writeContent(content) === text ? content : undefined;
}
