import { type Context, key } from '../../graphql/context.ts';
import { found, CodedError, refuse } from '../../errors/errors.ts';
import { mustRead } from '../../events/access.ts';

/** @throws NotFoundError; ForbiddenError where the caller may not read the resource of the delivery's event */
export async function mustReadDelivery(context: Context, id: string): Promise<void> {
  const select = { id: true, event: { select: { type: true } } } as const;
  const { event } = await found(context.db.delivery.findUnique({ where: key(context, id), select }));
  mustRead(context, [event.type]);
}

/** The limit of redeliveries of one event to one webhook, and of pings of one webhook, within a minute. */
export const maxAMinute = 10;

const minuteMs = 60_000;

/** @throws CodedError RATE_LIMITED where as many deliveries were made on request within the last minute */
export async function limitRequests(
  { db, now }: Context,
  requested: { webhookId: string; eventId?: string; kind: 'PING' | 'REDELIVERY' },
): Promise<void> {
  const since = new Date(now().getTime() - minuteMs);
  const recent = await db.delivery.findMany({
    where: { ...requested, createdAt: { gt: since } },
    select: { createdAt: true },
    orderBy: { id: 'desc' },
    take: maxAMinute,
  });
  const oldest = recent.at(maxAMinute - 1);
  if (!oldest) return;
  const retryAfter = Math.max(1, Math.ceil((oldest.createdAt.getTime() - since.getTime()) / 1000));
  const message = `At most ${maxAMinute} within a minute. Try again in ${retryAfter} seconds.`;
  throw new CodedError('RATE_LIMITED', message, { retryAfter });
}

/** Requires a webhook that is on. */
export function refuseUnlessActive({ active }: { active: boolean }): void {
  if (!active) refuse('webhookId', 'wrong_state', 'This webhook is off: enable it first.');
}
