import type { Db } from '../../../prisma/client.ts';

/** The columns that are written when a webhook is enabled. */
export const enabling = { active: true, consecutiveFailures: 0, disabledAt: null };

/** How many deliveries a request sets aside: all of very many may take longer than it may. */
export const maxSetAside = 10_000;

/**
 * Sets aside the waiting deliveries of a webhook that is off: they are kept, but not sent. A ping is still sent. For an
 * attempt in progress, its result decides the state of the delivery.
 * @param limit how many at most; the others are set aside when they are due (beginAttempts)
 */
export async function setAside(db: Db, webhookId: string, now: Date, limit?: number): Promise<void> {
  await db.delivery.updateMany({
    where: { webhookId, state: 'WAITING', kind: { not: 'PING' }, attempts: { none: { durationMs: null } } },
    data: { state: 'SET_ASIDE', nextAttemptAt: null, finishedAt: now },
    ...(limit !== undefined && { limit }),
  });
}
