import { eventTypes } from '../../events/events.ts';
import type { Context } from '../../graphql/context.ts';
import { hiddenTypes, mustRead } from '../../events/access.ts';
import { type Problems, found, NotFoundError } from '../../errors/errors.ts';
import type { Webhook as WebhookRow } from '../../../prisma/generated/client/client.ts';
import { requireVersion, type RowArguments } from '../../rows/locked-row.ts';
import type { RowLock } from '../../../prisma/client.ts';
import { FairLimiter } from '../../graphql/execution/concurrency-limiter.ts';

/** At most this many per tenant. */
export const maxWebhooks = 10;

/** The failed delivery in a row that deactivates a webhook (CONTRACT.md#delivery-outcome). */
export const failuresToDeactivate = 100;

const known = new Set<string>(['*', ...eventTypes]);

/**
 * A webhook sends its events' resources to the owner of its address.
 * @throws ForbiddenError if the caller may not read all of them
 */
export function mustReadWanted(context: Context, events: readonly (string | null | undefined)[]): void {
  mustRead(
    context,
    events.filter((event) => event != null),
  );
}

/** The check of an address waits for a name server: it may be silent, and a tenant may ask for many names. */
const checkTurns = new FairLimiter();
const findUrlProblem = (url: string, { tenant, webhooks }: Context): Promise<string | undefined> =>
  checkTurns.run(tenant.holder, () => webhooks.findUrlProblem(url));

export async function webhookRules(
  input: { url?: string | null; events?: (string | null | undefined)[] | null },
  context: Context,
  problems: Problems,
): Promise<void> {
  const problem = input.url != null ? await findUrlProblem(input.url, context) : undefined;
  if (problem) problems.add('input.url', 'address_refused', problem);
  if (input.events?.length === 0) problems.add('input.events', 'required', 'Must name at least one event, or *.');
  for (const [index, event] of (input.events ?? []).entries()) {
    if (event != null && !known.has(event))
      problems.add(`input.events.${index}`, 'unknown_value', 'There is no such event.');
  }
}

export const existing = (context: Context, id: string): Promise<WebhookRow> =>
  found(context.db.webhook.findFirst({ where: { id, deletedAt: null } }));

/**
 * Locks a webhook until the transaction ends.
 * @throws NotFoundError if it is deleted; ForbiddenError if the caller may not read all of its events
 *   (DECISIONS.md#d117-managing-webhooks); VersionConflictError
 */
export async function lockWebhook(
  inside: Context,
  { id, expectedVersion }: RowArguments,
  lock: RowLock = 'no key update',
): Promise<WebhookRow> {
  const webhook = await found(inside.db.lock('Webhook', id, lock));
  if (webhook.deletedAt) throw new NotFoundError();
  mustRead(inside, webhook.events);
  requireVersion(webhook, expectedVersion);
  return webhook;
}

/**
 * Deliveries that wait for a webhook are sent to the address that it has then, whatever its events are then. So this
 * check runs under the webhook's lock, before its address changes. Deliveries that were set aside are sent only by a
 * redelivery, which checks for itself.
 * @throws ForbiddenError if the caller may not read the events of all deliveries that wait
 */
export async function mustReadWaiting(inside: Context, webhookId: string): Promise<void> {
  const hidden = hiddenTypes(inside);
  if (hidden.length === 0) return;
  // Each event is found by its id: the events of these types can be very many more than the deliveries that wait.
  const unreadable = await inside.db.$rows<{ type: string }>(
    `select event.type from deliveries as delivery
     cross join lateral (select type from events where tenant_id = $1 and id = delivery.event_id offset 0) as event
     where delivery.tenant_id = $1 and delivery.webhook_id = $2 and delivery.state = 'waiting' and event.type = any ($3)
     limit 1`,
    [webhookId, hidden],
  );
  mustRead(
    inside,
    unreadable.map(({ type }) => type),
  );
}
