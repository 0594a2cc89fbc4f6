import type { Db } from '../../../prisma/client.ts';

/** How many events redeliverMissed handles in one call: more may take longer than a request may. */
export const maxMissed = 20_000;

export interface MissedEvent {
  eventId: string;
  type: string;
}

/**
 * The events that a webhook has missed since a time, the oldest first, at most maxMissed: all their deliveries to it failed
 * or were set aside. A ping is none of them.
 */
export const findMissed = (db: Db, webhookId: string, since: Date): Promise<MissedEvent[]> =>
  db.$rows(
    `select missed.event_id as "eventId", event.type
     from (
       (${firstMissed('failed')}) union all (${firstMissed('set_aside')}) order by id limit ${maxMissed}
     ) as missed
     cross join lateral (select type from events where tenant_id = $1 and id = missed.event_id offset 0) as event
     order by missed.id`,
    [webhookId, since],
  );

/**
 * The events whose first missed delivery is in a state, in the order of the index. The other deliveries of each event are found
 * by its id: a webhook can have very many deliveries in any state.
 */
const firstMissed = (state: 'failed' | 'set_aside'): string => `
  select id, event_id from deliveries as delivery
  where tenant_id = $1 and webhook_id = $2 and state = '${state}' and kind <> 'ping' and created_at >= $3
    and not exists (
      select from (
        select id, webhook_id, state, kind, created_at from deliveries
        where tenant_id = $1 and event_id = delivery.event_id offset 0
      ) as other
      where other.webhook_id = $2
        and (other.state in ('waiting', 'delivered')
          or other.id < delivery.id and other.kind <> 'ping' and other.created_at >= $3)
    )
  order by id limit ${maxMissed}`;
