import { retryContended, type Db, type TenantClient } from '../../../prisma/client.ts';
import { begin, end, putOff, waiting, type Ended, type Waiting } from './repository.ts';
import { traced } from '../../execution/tracing.ts';
import { signingSecrets, type SigningSecrets } from '../webhook/secrets.ts';
import { failuresToDeactivate, setAside } from '../webhook/webhook.ts';

// A delivery's way (DECISIONS.md#d32-attempts), as the worker drives it: many of a tenant's at a time. Each step is one
// transaction that takes its rows' locks with the update that checks their state: jobs may come twice, late, or after a
// crash, and change nothing.

/** Makes events' deliveries, once: one for each webhook that wants it; set aside where the webhook is off. */
export async function planDeliveries(
  client: TenantClient,
  eventIds: string | readonly string[],
  now: Date,
): Promise<void> {
  await retryContended(() => client.$transaction((db) => planIn(db, [eventIds].flat(), now)));
}

async function planIn(db: Db, eventIds: string[], now: Date): Promise<void> {
  const events = await db.event.updateManyAndReturn({
    where: { id: { in: eventIds }, fannedOutAt: null },
    data: { fannedOutAt: now },
    select: { id: true, type: true, traceParent: true },
  });
  if (events.length === 0) return;
  const webhooks = await db.webhook.findMany({
    where: { deletedAt: null },
    select: { id: true, active: true, events: true },
  });
  const deliveries = events.flatMap(({ id: eventId, type, traceParent }) => {
    const plan = () =>
      webhooks
        .filter((webhook) => webhook.events.includes('*') || webhook.events.includes(type))
        .map(({ id: webhookId, active }) =>
          db.row('Delivery', {
            webhookId,
            eventId,
            ...(active ? { nextAttemptAt: now } : { state: 'SET_ASIDE', finishedAt: now }),
          }),
        );
    return traced(`fan-out ${type}`, plan, traceParent);
  });
  if (deliveries.length > 0) await db.insert({ Delivery: deliveries });
}

/** What an attempt is to send. */
export interface Sending {
  deliveryId: string;
  eventId: string;
  eventType: string;
  /** Of the request that caused the event. */
  requestId: string | null;
  /** Where in that request's trace the event was. */
  traceParent: string | null;
  number: number;
  url: string;
  body: string;
  startedAt: Date;
  headers: Record<string, string>;
}

/** What its headers are made of. */
export interface Signing extends Omit<Sending, 'headers'> {
  secrets: SigningSecrets;
}

export interface Rules {
  /** Milliseconds before each retry: as many retries as there are delays. */
  retryDelaysMs: readonly number[];
  /** How long an attempt can be under way; one that has taken longer was cut off. */
  attemptMs: number;
}

type HeadersOf = (signing: Signing) => Record<string, string>;

/**
 * Takes up deliveries: counts the next attempt of each before anything is sent, so that whatever happens then, it
 * counts. Of some there is nothing to send: they are finished, under way elsewhere, or their webhook is off.
 * @returns for each what to send, once, if anything; the Error where its headers can't be made
 */
export async function beginAttempts(
  client: TenantClient,
  deliveryIds: readonly string[],
  now: Date,
  rules: Rules,
  headersOf: HeadersOf,
): Promise<(Sending | Error | undefined)[]> {
  const found = await waiting(client, deliveryIds);
  const ready = await settle(client, found, now, rules);
  const sendings = new Map<string, Sending | Error>();
  for (const delivery of ready) {
    const signing = signingOf(delivery, now);
    try {
      sendings.set(delivery.id, { ...signing, headers: headersOf(signing) });
    } catch (error) {
      sendings.set(delivery.id, error as Error);
    }
  }
  const good = [...sendings.values()].flatMap((sending) => (sending instanceof Error ? [] : [sending]));
  const begun = good.length > 0 ? await begin(client, good, now) : new Set();
  return deliveryIds.map((id) => {
    const sending = sendings.get(id);
    sendings.delete(id); // two jobs may ask for the same one
    return sending instanceof Error || begun.has(id) ? sending : undefined;
  });
}

/** The same for one. @throws Error where its headers can't be made */
export async function beginAttempt(
  client: TenantClient,
  deliveryId: string,
  now: Date,
  rules: Rules,
  headersOf: HeadersOf,
): Promise<Sending | undefined> {
  const [sending] = await beginAttempts(client, [deliveryId], now, rules, headersOf);
  if (sending instanceof Error) throw sending;
  return sending;
}

function signingOf(delivery: Waiting, now: Date): Signing {
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

const isOff = ({ active, deletedAt, kind }: Waiting): boolean => deletedAt !== null || (!active && kind !== 'ping');

/** Sees to those that can't simply be sent. @returns those that can be now */
async function settle(client: TenantClient, found: Waiting[], now: Date, rules: Rules): Promise<Waiting[]> {
  const isLast = ({ attemptCount }: Waiting): boolean => attemptCount > rules.retryDelaysMs.length;
  const lostAt = (since: Date): Date => new Date(since.getTime() + rules.attemptMs);
  const {
    ready = [],
    off,
    underWay,
    cutOff,
  } = Object.groupBy(found, (delivery) => {
    const { underWaySince } = delivery;
    if (underWaySince && now < lostAt(underWaySince)) return 'underWay';
    // What used all its attempts has failed, also where the webhook is off.
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
    await postpone(
      client,
      underWay.map(({ id, underWaySince }) => ({ deliveryId: id, until: lostAt(underWaySince ?? now) })),
    );
  }
  if (!cutOff) return ready;
  await record(
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

/** How an attempt ended. */
export interface Ending {
  deliveryId: string;
  number: number;
  success: boolean;
  status: number | null;
  responseHeaders: Record<string, string | string[]> | null;
  responseBody: Buffer;
  error: string | null;
  durationMs: number;
}

/** What became of deliveries, in the order of their attempts; and how many webhooks are off by that. */
export interface Consequences {
  became: ('delivered' | 'waiting' | 'failed')[];
  deactivated: number;
}

/** Records the ends of attempts, and what follows from them: delivered, tried again later, or failed. */
export async function endAttempts(
  client: TenantClient,
  endings: readonly Ending[],
  now: Date,
  { retryDelaysMs }: Rules,
): Promise<Consequences> {
  const ended = endings.map(({ success, responseBody, ...ending }) => {
    const delay = retryDelaysMs[ending.number - 1];
    const common = { ...ending, responseBody: responseBody.toString('base64') };
    if (success) return { ...common, becomes: 'delivered' as const };
    // A delivery fails when its last attempt does.
    if (delay === undefined) return { ...common, becomes: 'failed' as const };
    // ±10 %, so that what failed together is not tried together.
    const nextAttemptAt = new Date(now.getTime() + delay * (0.9 + Math.random() * 0.2));
    return { ...common, becomes: 'waiting' as const, nextAttemptAt };
  });
  const deactivated = await record(client, ended, now);
  return { became: ended.map(({ becomes }) => becomes), deactivated };
}

const healthMs = 5000;

/** @returns how many webhooks are off now */
async function record(client: TenantClient, ended: readonly Ended[], now: Date): Promise<number> {
  const off = await end(client, ended, now, { failures: failuresToDeactivate, healthMs });
  // What this misses, should we be killed here, is set aside as its time comes.
  for (const webhookId of off) await setAside(client, webhookId, now);
  return off.length;
}

/** Puts deliveries off: their webhooks have enough under way. */
export const postpone = putOff;
