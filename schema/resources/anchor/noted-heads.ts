import { formatDay } from '../../graphql/scalars/scalars.ts';
import type { Context } from '../../graphql/context.ts';
import type { Report } from '../difference.ts';
import { readContent, type AnchorContent, type Head } from './content.ts';
import { isSigned } from './signature.ts';

/** A head of a chain that was noted: all up to it must be as it was then. */
export interface NotedHead extends Head {
  /** When it was signed, if it is an anchor's. */
  at?: Date;
}

/** Of both chains. */
export interface NotedHeads {
  documents: readonly NotedHead[];
  auditLog: readonly NotedHead[];
}

export const noHeads: NotedHeads = { documents: [], auditLog: [] };

/** The heads that anchors have. */
export function toHeads(contents: readonly AnchorContent[]): NotedHeads {
  const ofChain = (chain: 'documents' | 'auditLog'): NotedHead[] =>
    contents.flatMap(({ at, [chain]: head }) => (head ? [{ ...head, at }] : []));
  return { documents: ofChain('documents'), auditLog: ofChain('auditLog') };
}

/**
 * The heads of the tenant's stored anchors. Whoever rewrites a chain in the database can delete these anchors, but can't sign others:
 * what proves is an anchor that was kept elsewhere.
 */
export async function readAnchoredHeads({ db, tenant }: Context, report: Report): Promise<NotedHeads> {
  const contents: AnchorContent[] = [];
  for (const anchor of await db.anchor.findMany({ orderBy: { day: 'asc' } })) {
    const content = readContent(anchor.content);
    if (content?.tenantId === tenant.id && isSigned(anchor)) contents.push(content);
    else
      report({
        type: 'anchor',
        id: anchor.id,
        message: `The anchor of ${formatDay(anchor.day)} is not as it was signed`,
      });
    if (anchor.timestampToken && !(await isTimestamped(anchor.timestampToken, anchor)))
      report({
        type: 'anchor',
        id: anchor.id,
        message: `The time-stamp of the anchor of ${formatDay(anchor.day)} is not one of it`,
      });
  }
  return toHeads(contents);
}

async function isTimestamped(
  token: Uint8Array<ArrayBuffer>,
  { content, timestampedAt }: { content: string; timestampedAt: Date | null },
): Promise<boolean> {
  // ASN.1 takes megabytes, and most installations have no authority.
  const { checkToken } = await import('./timestamp.ts');
  return checkToken(token, content).then(
    ({ at }) => at.getTime() === timestampedAt?.getTime(),
    () => false,
  );
}
