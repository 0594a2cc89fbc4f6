import type { Prisma } from '../../../prisma/generated/client/client.ts';
import type { Context } from '../../graphql/context.ts';

/** How long an authority is asked for an anchor's time-stamp. Those of later anchors prove what the anchor proves. */
const askedForMs = 7 * 24 * 60 * 60 * 1000;

const lacking = ({ now }: Context): Prisma.AnchorWhereInput => ({
  timestampToken: null,
  createdAt: { gt: new Date(now().getTime() - askedForMs) },
});

/** Whether the tenant has anchors that are to be time-stamped. */
export const lackTimestamps = async (context: Context): Promise<boolean> =>
  (await context.db.anchor.findFirst({ where: lacking(context), select: { id: true } })) !== null;

/**
 * Gets time-stamps for the tenant's anchors that lack one.
 * @param ask sends a request to the authority, and returns its answer
 * @throws TimestampError for an answer that has none, or not the right one
 */
export async function getTimestamps(
  context: Context,
  ask: (request: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const where = lacking(context);
  const anchors = await context.db.anchor.findMany({
    where,
    orderBy: { day: 'desc' },
    select: { id: true, content: true },
  });
  // ASN.1 takes megabytes, and most installations have no authority.
  const { readAnswer, writeRequest } = await import('./timestamp.ts');
  for (const { id, content } of anchors) {
    const { request, nonce } = writeRequest(content);
    const { token, at } = await readAnswer(await ask(request), { content, nonce, now: context.now() });
    // Another process may have been first.
    await context.db.anchor.updateMany({
      where: { id, timestampToken: null },
      data: { timestampToken: token, timestampedAt: at },
    });
  }
}
