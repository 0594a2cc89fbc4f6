import type { Db } from '../../../prisma/client.ts';

/** The columns that are written when a webhook is enabled. */
export const enabling = { active: true, consecutiveFailures: 0, disabledAt: null };

/** How many deliveries are set aside at once: all of very many may take longer than a request may. */
export const maxSetAside = 10_000;

/**
 * Sets aside waiting deliveries of a webhook that is off, at most maxSetAside: they are kept, but not sent. The others are set
 * aside when they are due (beginAttempts). A ping is still sent. For an attempt in progress, its result decides the state of
 * the delivery.
 */
export async function setAside(db: Db, webhookId: string, now: Date): Promise<void> {
  // By an array of ids, and `offset 0`, each row is found by an index: whatever the planner knows of a webhook that has failed
  // for only a short time. Compared with a subquery, it may read all the rows of the one for each row of the other.
  await db.$rows(
    `update deliveries set state = 'set_aside', next_attempt_at = null, finished_at = $3
     where tenant_id = $1 and state = 'waiting' and id = any(array(
       select id from deliveries as waiting
       where tenant_id = $1 and webhook_id = $2 and state = 'waiting' and kind <> 'ping'
         and not exists (
           select from delivery_attempts where tenant_id = $1 and delivery_id = waiting.id and duration_ms is null offset 0
         )
       order by id limit ${maxSetAside}
     ))`,
    [webhookId, now],
  );
}
