import type { Db } from '../../../prisma/client.ts';

/** The columns that are written when a webhook is enabled. */
export const enabling = { active: true, consecutiveFailures: 0, disabledAt: null };

/**
 * Sets aside the waiting deliveries of a webhook that is off: they are kept, but not sent. A ping is still sent. For an
 * attempt in progress, its result decides the state of the delivery.
 */
export async function setAside(db: Db, webhookId: string, now: Date): Promise<void> {
  await db.delivery.updateMany({
    where: { webhookId, state: 'WAITING', kind: { not: 'PING' }, attempts: { none: { durationMs: null } } },
    data: { state: 'SET_ASIDE', nextAttemptAt: null, finishedAt: now },
  });
}
