import type { Context } from '../../graphql/context.ts';
import { emit } from '../../events/events.ts';
import { readContent, writeContent, type AnchorContent, type Head } from './content.ts';
import type { AnchorKey } from './signature.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Signs the heads of the tenant's chains, unless that was done today, nothing has changed, or another process does it.
 * @returns whether there is a new anchor
 */
export async function makeAnchor(context: Context, key: AnchorKey): Promise<boolean> {
  if (!(await findNext(context))) return false;
  return context.transaction(async (inside) => {
    if (!(await inside.db.tryAdvisoryLock('anchors'))) return false;
    const next = await findNext(inside); // another process may have been first
    if (!next) return false;
    const content = writeContent(next);
    const anchor = inside.db.row('Anchor', {
      day: getDay(next.at),
      content,
      publicKey: key.publicKey,
      signature: key.sign(content),
      createdAt: next.at,
    });
    await inside.insert({ Anchor: [anchor] });
    await emit(inside, 'books.anchored', anchor.id);
    return true;
  });
}

/** The midnight UTC before a time. */
const getDay = (time: Date): Date => new Date(Math.floor(time.getTime() / dayMs) * dayMs);

const toHead = (position: number, hash: Uint8Array): Head => ({ position, hash: Buffer.from(hash).toString('hex') });

/** The content of an anchor that is made now; undefined if none is due. */
async function findNext({ db, now, tenant }: Context): Promise<AnchorContent | undefined> {
  const at = now();
  const last = await db.anchor.findFirst({ orderBy: { day: 'desc' } });
  if (last && last.day >= getDay(at)) return undefined;
  const proof = await db.documentProof.findFirst({
    orderBy: { position: 'desc' },
    select: { position: true, hash: true },
  });
  const seal = await db.auditSeal.findFirst({ orderBy: { number: 'desc' }, select: { number: true, hash: true } });
  const documents = proof && toHead(proof.position, proof.hash);
  const auditLog = seal && toHead(seal.number, seal.hash);
  if (!documents && !auditLog) return undefined;
  const before = last && readContent(last.content);
  if (before?.documents?.hash === documents?.hash && before?.auditLog?.hash === auditLog?.hash) return undefined;
  return { tenantId: tenant.id, at, documents, auditLog };
}
