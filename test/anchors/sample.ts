import { hash } from 'node:crypto';
import { writeContent } from '../../schema/resources/anchor/content.ts';
import { createAnchorKey } from '../../schema/resources/anchor/signature.ts';
import type { Integrator } from '../harness.ts';

export const sampleKey = createAnchorKey(new Uint8Array(32).fill(7));

/** An anchor of the day after the tenant's last one. Its heads are of no chain. @param content what it has signed */
export async function makeSampleAnchor(
  { db, tenantId }: Pick<Integrator, 'db' | 'tenantId'>,
  { content: text }: { content?: string } = {},
): Promise<string> {
  const last = await db.anchor.findFirst({ orderBy: { day: 'desc' } });
  const day = new Date((last?.day ?? new Date('2026-01-01')).getTime() + 86_400_000);
  const documents = { position: 1, hash: hash('sha256', day.toISOString()) };
  const content = text ?? writeContent({ tenantId, at: day, documents, auditLog: null });
  const { publicKey, sign } = sampleKey;
  const anchor = db.row('Anchor', { day, content, publicKey, signature: sign(content), createdAt: day });
  await db.insert({ Anchor: [anchor] });
  return anchor.id;
}
