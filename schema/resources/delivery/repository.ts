import type { TenantClient } from '../../../prisma/client.ts';
import type { WebhookSecrets } from '../webhook/secrets.ts';

// The worker's SQL for deliveries. Each statement handles many deliveries at a time, as one statement per delivery and step
// would cost much more CPU time (test/bench/works/webhooks.ts measures it).

/** Ids passed beside the JSON: the planner can't estimate the JSON's size, but uses indexes for an array of ids. */
const getIds = (rows: readonly { deliveryId: string }[]): string[] => rows.map(({ deliveryId }) => deliveryId);

/** A delivery in the state `waiting`, with everything needed to send it. */
export interface PendingDelivery extends WebhookSecrets {
  id: string;
  webhookId: string;
  eventId: string;
  kind: 'event' | 'ping' | 'redelivery';
  attemptCount: number;
  /** When its last attempt began, if it has not ended. */
  underWaySince: Date | null;
  eventType: string;
  requestId: string | null;
  traceParent: string | null;
  body: string;
  url: string;
  active: boolean;
  deletedAt: Date | null;
  simulatesFailures: boolean;
}

/** The deliveries among these ids that are in the state `waiting`. */
export const findPending = (client: TenantClient, ids: readonly string[]): Promise<PendingDelivery[]> =>
  client.$rows(
    `select d.id, d.webhook_id as "webhookId", d.event_id as "eventId", d.kind, d.attempt_count as "attemptCount",
       a.started_at as "underWaySince", e.type as "eventType", e.request_id as "requestId", e.trace_parent as "traceParent", e.body, w.url, w.active, w.deleted_at as "deletedAt",
       w.secret, w.previous_secret as "previousSecret", w.previous_secret_until as "previousSecretUntil",
       w.signs_with_previous as "signsWithPrevious", w.earlier_secret as "earlierSecret",
       w.earlier_secret_until as "earlierSecretUntil", w.signs_with_earlier as "signsWithEarlier",
       w.simulated_failures is not null as "simulatesFailures"
     from deliveries d
       join webhooks w on w.tenant_id = d.tenant_id and w.id = d.webhook_id
       join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
       left join delivery_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
         and a.number = d.attempt_count and a.duration_ms is null
     where d.tenant_id = $1 and d.id = any($2) and d.state = 'waiting'`,
    [ids],
  );

/** An attempt that is about to be sent. */
export interface StartedAttempt {
  deliveryId: string;
  number: number;
  headers: Record<string, string>;
}

/** Inserts attempts whose number follows the delivery's last one. @returns the ids of their deliveries */
export async function startAttempts(
  client: TenantClient,
  attempts: readonly StartedAttempt[],
  now: Date,
): Promise<Set<string>> {
  const rows = await client.$rows<{ id: string }>(
    `with beginning as (
       select * from json_to_recordset($2) as b("deliveryId" uuid, number int, headers jsonb)
     ), counted as (
       update deliveries d set attempt_count = b.number from beginning b
       where d.tenant_id = $1 and d.id = any($4) and d.id = b."deliveryId" and d.state = 'waiting'
         and d.attempt_count = b.number - 1
       returning d.id, b.number, b.headers
     )
     insert into delivery_attempts (tenant_id, delivery_id, number, started_at, request_headers)
     select $1, id, number, $3, headers from counted
     returning delivery_id as id`,
    [
      JSON.stringify(attempts.map(({ deliveryId, number, headers }) => ({ deliveryId, number, headers }))),
      now,
      getIds(attempts),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The end of an attempt, and the state that follows for its delivery. */
export interface FinishedAttempt {
  deliveryId: string;
  number: number;
  durationMs: number;
  status?: number | null;
  responseHeaders?: Record<string, string | string[]> | null;
  /** Base64. */
  responseBody?: string;
  error: string | null;
  /** Null where another attempt follows at once. */
  becomes: 'delivered' | 'failed' | 'waiting' | null;
  /** Set where the delivery goes on waiting. */
  nextAttemptAt?: Date;
}

/**
 * Finishes attempts that are not finished yet, changes the state of their deliveries, and counts failures in a row. A
 * success resets the count to 0. The count stops when it turns the webhook off, until a user turns it on again. A delivery
 * that was set aside meanwhile still becomes delivered or failed; one to be retried is set aside if its webhook is off. The
 * webhook's row is contended, so it is written only if a value changes.
 *
 * @param limits how many failures in a row turn a webhook off, and how outdated its last success may be
 * @returns the webhooks that are off now
 */
export async function finishAttempts(
  client: TenantClient,
  endings: readonly FinishedAttempt[],
  now: Date,
  limits: { failures: number; healthMs: number },
): Promise<string[]> {
  const rows = await client.$rows<{ id: string; off: boolean }>(
    `with ending as (
       select * from json_to_recordset($2) as e("deliveryId" uuid, number int, "durationMs" int, status int,
         "responseHeaders" jsonb, "responseBody" text, error text, becomes delivery_state, "nextAttemptAt" timestamptz)
     ), recorded as (
       update delivery_attempts a
       set duration_ms = e."durationMs", status = e.status, response_headers = e."responseHeaders",
         response_body = decode(e."responseBody", 'base64'), error = e.error
       from ending e
       where a.tenant_id = $1 and a.delivery_id = any($6) and a.delivery_id = e."deliveryId" and a.number = e.number
         and a.duration_ms is null
       returning e."deliveryId", e.becomes, e."nextAttemptAt"
     ), moved as (
       update deliveries d
       set state = case when r.is_off then 'set_aside' else r.becomes end,
         next_attempt_at = case when not r.is_off then r."nextAttemptAt" end,
         finished_at = case when r.is_off or r.becomes <> 'waiting' then $3::timestamptz end
       from (
         select r.*, r.becomes = 'waiting' and d.kind <> 'ping' and (not w.active or w.deleted_at is not null) as is_off
         from recorded r
           join deliveries d on d.tenant_id = $1 and d.id = r."deliveryId"
           join webhooks w on w.tenant_id = $1 and w.id = d.webhook_id
         where r.becomes is not null
       ) r
       where d.tenant_id = $1 and d.id = any($6) and d.id = r."deliveryId"
         and (d.state = 'waiting' or d.state = 'set_aside' and r.becomes in ('delivered', 'failed'))
       returning d.webhook_id, d.state, d.kind
     ), health as (
       select webhook_id, bool_or(state = 'delivered') as succeeded, bool_or(state = 'failed') as failed,
         bool_or(state = 'delivered' and kind = 'event') as cleared,
         count(*) filter (where state = 'failed' and kind = 'event') as failures
       from moved where state in ('delivered', 'failed') group by webhook_id
     )
     update webhooks w
     set consecutive_failures = case
         when w.disabled_at is not null then w.consecutive_failures
         when cleared then 0
         else least(w.consecutive_failures + failures, $4) end,
       last_success_at = case when succeeded then $3 else w.last_success_at end,
       last_failure_at = case when failed then $3 else w.last_failure_at end,
       active = w.active and not (failures > 0 and not cleared and w.consecutive_failures + failures >= $4),
       disabled_at = case when w.active and failures > 0 and not cleared and w.consecutive_failures + failures >= $4
         then $3 else w.disabled_at end,
       updated_at = $3
     from health h
     where w.tenant_id = $1 and w.id = h.webhook_id
       and (failed or cleared and w.consecutive_failures > 0 or coalesce(w.last_success_at < $5, true))
     returning w.id, not w.active and w.disabled_at = $3 as off`,
    [JSON.stringify(endings), now, limits.failures, new Date(now.getTime() - limits.healthMs), getIds(endings)],
  );
  return rows.filter(({ off }) => off).map(({ id }) => id);
}

/** Sets the time of the next attempt of deliveries in the state `waiting`. */
export async function reschedule(
  client: TenantClient,
  until: readonly { deliveryId: string; until: Date }[],
): Promise<void> {
  await client.$rows(
    `update deliveries d set next_attempt_at = u.until
     from json_to_recordset($2) as u("deliveryId" uuid, until timestamptz)
     where d.tenant_id = $1 and d.id = any($3) and d.id = u."deliveryId" and d.state = 'waiting'`,
    [JSON.stringify(until), getIds(until)],
  );
}
