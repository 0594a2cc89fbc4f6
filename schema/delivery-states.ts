import type { Prisma, TenantClient } from '../prisma/client.ts';
import type { DeliveryKind } from '../prisma/generated/client/client.ts';
import { failuresToDeactivate, setAside } from './webhook.ts';

// A delivery's way (contract and decisions, 6), as the worker drives it. Each step is one transaction that takes its
// row's lock with the update that checks its state: jobs may come twice, late, or after a crash, and change nothing.

/** Makes an event's deliveries, once: one for each webhook that wants it; set aside where the webhook is off. */
export async function planDeliveries(client: TenantClient, eventId: string, now: Date): Promise<void> {
  await client.$transaction(async (db) => {
    const [event] = await db.event.updateManyAndReturn({
      where: { id: eventId, fannedOutAt: null },
      data: { fannedOutAt: now },
    });
    if (!event) return;
    const webhooks = await db.webhook.findMany({
      where: { deletedAt: null, OR: [{ events: { has: '*' } }, { events: { has: event.type } }] },
    });
    await db.delivery.createMany({
      data: webhooks.map(({ id: webhookId, active }) => ({
        webhookId,
        eventId,
        ...(active ? { nextAttemptAt: now } : { state: 'SET_ASIDE', finishedAt: now }),
      })),
    });
  });
}

/** What an attempt is to send. */
export interface Sending {
  deliveryId: string;
  webhookId: string;
  eventId: string;
  eventType: string;
  number: number;
  url: string;
  body: string;
  startedAt: Date;
  secret: Uint8Array;
  /** The secret before the last rotation, while it is good. */
  previousSecret: Uint8Array | null;
  /** Whether the document's header is still made with the previous one. */
  signsWithPrevious: boolean;
}

export interface Rules {
  /** Milliseconds before each retry: as many retries as there are delays. */
  retryDelaysMs: readonly number[];
  /** How long an attempt can be under way; one that has taken longer was cut off. */
  attemptMs: number;
}

/**
 * Takes up a delivery: counts its next attempt before anything is sent, so that whatever happens then, it counts.
 * Undefined when there is nothing to send: it is finished, under way elsewhere, or its webhook is off.
 */
export async function beginAttempt(
  client: TenantClient,
  deliveryId: string,
  now: Date,
  rules: Rules,
  headersOf: (sending: Sending) => Record<string, string>,
): Promise<Sending | undefined> {
  return client.$transaction(async (db) => {
    const delivery = await db.delivery.findFirst({ where: { id: deliveryId, state: 'WAITING' } });
    if (!delivery) return undefined;
    const { webhookId, eventId, attemptCount, kind } = delivery;
    const webhook = await db.webhook.findFirstOrThrow({ where: { id: webhookId } });
    if (webhook.deletedAt || (!webhook.active && kind !== 'PING')) {
      await finish(db, deliveryId, 'SET_ASIDE', now);
      return undefined;
    }
    const last =
      attemptCount > 0 && (await db.deliveryAttempt.findFirst({ where: { deliveryId, number: attemptCount } }));
    if (last && last.durationMs === null) {
      const until = new Date(last.startedAt.getTime() + rules.attemptMs);
      if (now < until) {
        await db.delivery.updateMany({ where: { id: deliveryId, state: 'WAITING' }, data: { nextAttemptAt: until } });
        return undefined;
      }
      const cut = { durationMs: rules.attemptMs, error: 'cut off: the worker was stopped while sending' };
      await db.deliveryAttempt.updateMany({ where: { deliveryId, number: last.number, durationMs: null }, data: cut });
      if (attemptCount > rules.retryDelaysMs.length) {
        await fail(db, { id: deliveryId, webhookId, kind }, now);
        return undefined;
      }
    }
    const claimed = await db.delivery.updateMany({
      where: { id: deliveryId, state: 'WAITING', attemptCount },
      data: { attemptCount: attemptCount + 1 },
    });
    if (claimed.count === 0) return undefined;

    const event = await db.event.findFirstOrThrow({ where: { id: eventId } });
    const rotating = webhook.previousSecretUntil !== null && now < webhook.previousSecretUntil;
    const sending: Sending = {
      deliveryId,
      webhookId,
      eventId,
      eventType: event.type,
      number: attemptCount + 1,
      url: webhook.url,
      body: event.body,
      startedAt: now,
      secret: webhook.secret,
      previousSecret: rotating ? webhook.previousSecret : null,
      signsWithPrevious: rotating && webhook.signsWithPrevious,
    };
    const { number } = sending;
    await db.deliveryAttempt.create({
      data: { deliveryId, number, startedAt: now, requestHeaders: headersOf(sending) },
    });
    return sending;
  });
}

/** How an attempt ended. */
export interface Ending {
  success: boolean;
  status: number | null;
  responseHeaders: Record<string, string | string[]> | null;
  responseBody: Uint8Array<ArrayBuffer> | null;
  error: string | null;
  durationMs: number;
}

/** Records an attempt's end, and what follows from it: delivered, tried again later, or failed. */
export async function endAttempt(
  client: TenantClient,
  { deliveryId, webhookId, number }: Sending,
  { success, responseHeaders, ...ending }: Ending,
  now: Date,
  { retryDelaysMs }: Rules,
): Promise<void> {
  await client.$transaction(async (db) => {
    const recorded = await db.deliveryAttempt.updateMany({
      where: { deliveryId, number, durationMs: null },
      data: { ...ending, ...(responseHeaders && { responseHeaders }) },
    });
    if (recorded.count === 0) return; // given up as cut off meanwhile
    // It may have been set aside meanwhile: what has arrived is delivered all the same, but nothing is tried again.
    const delivery = await db.delivery.findFirst({
      where: { id: deliveryId, state: { in: ['WAITING', 'SET_ASIDE'] } },
    });
    if (!delivery) return;
    if (success) {
      const delivered = { state: 'DELIVERED', nextAttemptAt: null, finishedAt: now } as const;
      await db.delivery.updateMany({ where: { id: deliveryId }, data: delivered });
      await succeed(db, webhookId, delivery.kind, now);
      return;
    }
    if (delivery.state === 'SET_ASIDE') return;
    const delay = retryDelaysMs[number - 1];
    if (delay === undefined) return fail(db, delivery, now);
    // ±10 %, so that what failed together is not tried together.
    const nextAttemptAt = new Date(now.getTime() + delay * (0.9 + Math.random() * 0.2));
    await db.delivery.updateMany({ where: { id: deliveryId, state: 'WAITING' }, data: { nextAttemptAt } });
  });
}

type Transaction = Parameters<Parameters<TenantClient['$transaction']>[0]>[0];

const finish = (db: Transaction, id: string, state: 'FAILED' | 'SET_ASIDE', now: Date) =>
  db.delivery.updateMany({ where: { id, state: 'WAITING' }, data: { state, nextAttemptAt: null, finishedAt: now } });

const healthEveryMs = 5000;

/** A success sets the count of failures to 0. The row is left alone when it would say the same, as it is a hot one. */
async function succeed(db: Transaction, id: string, kind: DeliveryKind, now: Date): Promise<void> {
  const stale = new Date(now.getTime() - healthEveryMs);
  const outdated: Prisma.WebhookWhereInput[] = [{ lastSuccessAt: null }, { lastSuccessAt: { lt: stale } }];
  if (kind === 'EVENT') outdated.push({ consecutiveFailures: { gt: 0 } });
  await db.webhook.updateMany({
    where: { id, OR: outdated },
    data: { lastSuccessAt: now, ...(kind === 'EVENT' && { consecutiveFailures: 0 }) },
  });
}

/** A delivery fails when its last attempt does. The 100th in a row deactivates the webhook. */
async function fail(
  db: Transaction,
  { id, webhookId, kind }: { id: string; webhookId: string; kind: DeliveryKind },
  now: Date,
): Promise<void> {
  const failed = await finish(db, id, 'FAILED', now);
  if (failed.count === 0) return;
  const [webhook] = await db.webhook.updateManyAndReturn({
    where: { id: webhookId },
    data: { lastFailureAt: now, ...(kind === 'EVENT' && { consecutiveFailures: { increment: 1 } }) },
  });
  if (!webhook?.active || webhook.consecutiveFailures < failuresToDeactivate || kind !== 'EVENT') return;
  await db.webhook.updateMany({ where: { id: webhookId }, data: { active: false, disabledAt: now } });
  await setAside(db, webhookId, now);
}

/** Puts a delivery off: its webhook has enough under way. */
export async function postpone(client: TenantClient, deliveryId: string, until: Date): Promise<void> {
  await client.delivery.updateMany({ where: { id: deliveryId, state: 'WAITING' }, data: { nextAttemptAt: until } });
}
