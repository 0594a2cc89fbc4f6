import { retryContended, type Db, type TenantClient } from '../../../prisma/client.ts';
import {
  startAttempts,
  finishAttempts,
  reschedule,
  findPending,
  type FinishedAttempt,
  type PendingDelivery,
} from './repository.ts';
import { isLastAttempt, nextAttemptAt, type RetryPolicy } from './retry-policy.ts';
import { tracer } from '../../graphql/execution/tracing.ts';
import { signingSecrets, type SigningSecrets } from '../webhook/secrets.ts';
import { failuresToDeactivate } from '../webhook/rules.ts';
import { takeSimulatedFailures, type SimulatedFailure } from '../webhook/simulated-failures.ts';
import { setAside } from '../webhook/transitions.ts';

// The attempts of deliveries (DECISIONS.md#d32-attempts), as the worker makes them: for many deliveries of a tenant at a
// time. Each step is one transaction. Its update checks the state of the rows that it locks, so a job that comes twice,
// late, or after a crash changes nothing.

/**
 * Creates the deliveries of events, once: one for each subscribed webhook that isn't younger than the event; set aside where
 * the webhook is off.
 * @returns the types of the events that had none yet
 */
export async function planDeliveries(
  client: TenantClient,
  eventIds: string | readonly string[],
  now: Date,
): Promise<string[]> {
  return retryContended(() => client.$transaction((db) => planInTransaction(db, [eventIds].flat(), now)));
}

async function planInTransaction(db: Db, eventIds: string[], now: Date): Promise<string[]> {
  const events = await db.event.updateManyAndReturn({
    where: { id: { in: eventIds }, fannedOutAt: null },
    data: { fannedOutAt: now },
    select: { id: true, type: true, traceParent: true },
  });
  if (events.length === 0) return [];
  const webhooks = await db.webhook.findMany({
    where: { deletedAt: null },
    select: { id: true, active: true, events: true },
  });
  const deliveries = events.flatMap(({ id: eventId, type, traceParent }) => {
    const plan = () =>
      webhooks
        .filter((webhook) => webhook.events.includes('*') || webhook.events.includes(type))
        .filter((webhook) => readTime(eventId) > readTime(webhook.id) - clocksDifferMs)
        .map(({ id: webhookId, active }) =>
          db.row('Delivery', {
            webhookId,
            eventId,
            ...(active ? { nextAttemptAt: now } : { state: 'SET_ASIDE', finishedAt: now }),
          }),
        );
    return tracer.step(`fan-out ${type}`, plan, traceParent);
  });
  if (deliveries.length > 0) await db.insert({ Delivery: deliveries });
  return events.map(({ type }) => type);
}

/** By how much the clocks of two processes may differ. So no event after its creation is kept from a webhook. */
const clocksDifferMs = 10_000;

/** When a row was made: its id is a UUIDv7, which begins with the milliseconds since 1970. */
const readTime = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** An attempt that has been counted and is to be sent. */
export interface OutgoingAttempt {
  deliveryId: string;
  eventId: string;
  eventType: string;
  /** The id of the request that caused the event. */
  requestId: string | null;
  /** The event's span in that request's trace. */
  traceParent: string | null;
  number: number;
  url: string;
  body: string;
  startedAt: Date;
  headers: Record<string, string>;
  /** How it fails without being sent, in a test tenant; undefined where it is sent. */
  simulated?: SimulatedFailure | undefined;
  /** Whether it fails without being sent, as a secret of the webhook can't be read. */
  isUnsigned: boolean;
}

/** An attempt before its headers are signed. */
export interface UnsignedAttempt extends Omit<OutgoingAttempt, 'headers' | 'isUnsigned'> {
  secrets: SigningSecrets;
}

/** Throws where a secret can't be read. */
type HeadersOf = (signing: UnsignedAttempt) => Record<string, string>;

/**
 * Counts the next attempt of each delivery before anything is sent, so that it counts whatever happens afterwards. Nothing
 * is sent for deliveries that are finished, in progress elsewhere, or whose webhook is off. An attempt whose headers can't be
 * made counts too, so that its delivery comes to an end.
 * @returns for each id the attempt to send, if there is one
 */
export async function beginAttempts(
  client: TenantClient,
  deliveryIds: readonly string[],
  now: Date,
  rules: RetryPolicy,
  headersOf: HeadersOf,
): Promise<(OutgoingAttempt | undefined)[]> {
  const found = await findPending(client, deliveryIds);
  const ready = await resolveUnsendable(client, found, now, rules);
  const sendings = new Map(ready.map((delivery) => [delivery.id, sign(buildSigning(delivery, now), headersOf)]));
  const started = ready.length > 0 ? await startAttempts(client, [...sendings.values()], now) : new Set<string>();
  const simulated = await simulateFailures(
    client,
    ready.filter(({ id, simulatesFailures }) => simulatesFailures && started.has(id)),
  );
  return deliveryIds.map((id) => {
    const sending = sendings.get(id);
    sendings.delete(id); // two jobs may ask for the same one
    return sending && started.has(id) ? { ...sending, simulated: simulated.get(id) } : undefined;
  });
}

/** @returns by delivery how its attempt fails, of those that fail without being sent */
async function simulateFailures(
  client: TenantClient,
  deliveries: PendingDelivery[],
): Promise<Map<string, SimulatedFailure>> {
  if (deliveries.length === 0) return new Map();
  const byWebhook = Map.groupBy(deliveries, ({ webhookId }) => webhookId);
  const counts = new Map([...byWebhook].map(([id, ofWebhook]) => [id, ofWebhook.length]));
  const taken = await takeSimulatedFailures(client, counts);
  return new Map(
    [...taken].flatMap(([webhookId, { taken: count, ...failure }]) =>
      (byWebhook.get(webhookId) ?? []).slice(0, count).map(({ id }) => [id, failure] as const),
    ),
  );
}

/** beginAttempts() for one delivery. */
export async function beginAttempt(
  client: TenantClient,
  deliveryId: string,
  now: Date,
  rules: RetryPolicy,
  headersOf: HeadersOf,
): Promise<OutgoingAttempt | undefined> {
  const [sending] = await beginAttempts(client, [deliveryId], now, rules, headersOf);
  return sending;
}

function buildSigning(delivery: PendingDelivery, now: Date): UnsignedAttempt {
  const { id: deliveryId, eventId, eventType, requestId, traceParent, url, body, attemptCount } = delivery;
  return {
    deliveryId,
    eventId,
    eventType,
    requestId,
    traceParent,
    number: attemptCount + 1,
    url,
    body,
    startedAt: now,
    secrets: signingSecrets(delivery, now),
  };
}

function sign(signing: UnsignedAttempt, headersOf: HeadersOf): OutgoingAttempt {
  try {
    return { ...signing, headers: headersOf(signing), isUnsigned: false };
  } catch {
    return { ...signing, headers: {}, isUnsigned: true };
  }
}

const isOff = ({ active, deletedAt, kind }: PendingDelivery): boolean =>
  deletedAt !== null || (!active && kind !== 'ping');

/** Handles deliveries that are off, under way or cut off. @returns the deliveries that can be sent now */
async function resolveUnsendable(
  client: TenantClient,
  found: PendingDelivery[],
  now: Date,
  rules: RetryPolicy,
): Promise<PendingDelivery[]> {
  const isLast = ({ attemptCount }: PendingDelivery): boolean => isLastAttempt(attemptCount, rules);
  const lostAt = (since: Date): Date => new Date(since.getTime() + rules.attemptMs);
  const {
    ready = [],
    off,
    underWay,
    cutOff,
  } = Object.groupBy(found, (delivery) => {
    const { underWaySince } = delivery;
    if (underWaySince && now < lostAt(underWaySince)) return 'underWay';
    // A delivery without attempts left has failed, even where its webhook is off.
    if (underWaySince && (isLast(delivery) || !isOff(delivery))) return 'cutOff';
    return isOff(delivery) ? 'off' : 'ready';
  });
  if (off) {
    await client.delivery.updateMany({
      where: { id: { in: off.map(({ id }) => id) }, state: 'WAITING' },
      data: { state: 'SET_ASIDE', nextAttemptAt: null, finishedAt: now },
    });
  }
  if (underWay) {
    await reschedule(
      client,
      underWay.map(({ id, underWaySince }) => ({ deliveryId: id, until: lostAt(underWaySince ?? now) })),
    );
  }
  if (!cutOff) return ready;
  await recordFinished(
    client,
    cutOff.map((delivery) => ({
      deliveryId: delivery.id,
      number: delivery.attemptCount,
      durationMs: rules.attemptMs,
      error: 'cut off: the worker was stopped while sending',
      becomes: isLast(delivery) ? 'failed' : null,
    })),
    now,
  );
  return [...ready, ...cutOff.filter((delivery) => !isLast(delivery))];
}

/** The result of an attempt. */
export interface AttemptResult {
  deliveryId: string;
  number: number;
  success: boolean;
  status: number | null;
  responseHeaders: Record<string, string | string[]> | null;
  responseBody: Buffer;
  error: string | null;
  durationMs: number;
}

/** The deliveries' new states, in the order of their attempts; and how many webhooks were deactivated. */
export interface DeliveryOutcomes {
  became: ('delivered' | 'waiting' | 'failed')[];
  deactivated: number;
}

/** Records the results of attempts; their deliveries become delivered or failed, or wait for the next attempt. */
export async function endAttempts(
  client: TenantClient,
  endings: readonly AttemptResult[],
  now: Date,
  rules: RetryPolicy,
): Promise<DeliveryOutcomes> {
  const ended = endings.map(({ success, responseBody, ...ending }) => {
    const common = { ...ending, responseBody: responseBody.toString('base64') };
    if (success) return { ...common, becomes: 'delivered' as const };
    const retryAt = nextAttemptAt(ending.number, now, rules);
    // A delivery fails when its last attempt does.
    if (retryAt === undefined) return { ...common, becomes: 'failed' as const };
    return { ...common, becomes: 'waiting' as const, nextAttemptAt: retryAt };
  });
  const deactivated = await recordFinished(client, ended, now);
  return { became: ended.map(({ becomes }) => becomes), deactivated };
}

const healthMs = 5000;

/** @returns how many webhooks are off now */
async function recordFinished(client: TenantClient, ended: readonly FinishedAttempt[], now: Date): Promise<number> {
  const off = await finishAttempts(client, ended, now, { failures: failuresToDeactivate, healthMs });
  // If the process is killed here, the remaining deliveries are set aside when they are due.
  for (const webhookId of off) await setAside(client, webhookId, now);
  return off.length;
}

/** Reschedules deliveries whose endpoint has reached its concurrency limit. */
export { reschedule };
