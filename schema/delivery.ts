import type {
  DeliveryKind as DeliveryKinds,
  DeliveryState as DeliveryStates,
  Prisma,
} from '../prisma/generated/client/client.ts';
import { builder } from './builder.ts';
import { key, type Context } from './context.ts';
import { found, refuse } from './errors.ts';
import { renderBody } from './events.ts';
import { text } from './input.ts';
import { loader } from './loader.ts';
import { readPage } from './page.ts';
import { Webhook } from './webhook.ts';

export const DeliveryKind = builder.enumType('DeliveryKind', {
  description: 'Why a delivery was made.',
  values: {
    EVENT: { description: 'An event happened that the webhook wants.' },
    PING: { description: 'A user pressed Ping.' },
    REDELIVERY: { description: 'A user asked for an event again.' },
  } satisfies Record<DeliveryKinds, object>,
});

export const DeliveryState = builder.enumType('DeliveryState', {
  description: 'What became of a delivery.',
  values: {
    WAITING: { description: 'For its first or next attempt, or one is under way.' },
    DELIVERED: { description: 'Answered with 2xx.' },
    FAILED: { description: 'Given up after the last attempt.' },
    SET_ASIDE: { description: 'Not sent, as the webhook was off; can be sent then.' },
  } satisfies Record<DeliveryStates, object>,
});

export const Event = builder.prismaObject('Event', {
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The `webhook-id` header.' }),
    type: t.exposeString('type'),
    resourceId: t.expose('resourceId', { type: 'UUID', nullable: true }),
    body: t.exposeString('body'),
    requestId: t.expose('requestId', { type: 'UUID', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const Header = builder.objectRef<{ name: string; value: string }>('Header').implement({
  description: 'A header of a request or a response.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'In lower case where it was received.' }),
    value: t.exposeString('value', { description: 'As it was sent.' }),
  }),
});

const headers = (json: unknown): { name: string; value: string }[] =>
  Object.entries((json ?? {}) as Record<string, string | string[]>).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value })),
  );

builder.prismaObject('DeliveryAttempt', {
  fields: (t) => ({
    number: t.exposeInt('number'),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    durationMs: t.exposeInt('durationMs', { nullable: true }),
    requestHeaders: t.field({
      type: [Header],
      select: { requestHeaders: true },
      resolve: (attempt) => headers(attempt.requestHeaders),
    }),
    status: t.exposeInt('status', { nullable: true }),
    responseHeaders: t.field({
      type: [Header],
      select: { responseHeaders: true },
      resolve: (attempt) => headers(attempt.responseHeaders),
    }),
    responseBody: t.string({
      nullable: true,
      description: 'The first 16 KiB, as text.',
      select: { responseBody: true },
      resolve: ({ responseBody }) => (responseBody ? Buffer.from(responseBody).toString() : null),
    }),
    error: t.exposeString('error', { nullable: true }),
  }),
});

export const Delivery = builder.prismaObject('Delivery', {
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    webhookId: t.expose('webhookId', { type: 'UUID' }),
    webhook: t.relation('webhook'),
    event: t.relation('event'),
    kind: t.expose('kind', { type: DeliveryKind }),
    state: t.expose('state', { type: DeliveryState }),
    attemptCount: t.exposeInt('attemptCount'),
    attempts: t.relation('attempts', { query: { orderBy: { number: 'asc' } } }),
    nextAttemptAt: t.expose('nextAttemptAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
  }),
});

const DeliveryConnection = builder.connectionObject({ type: Delivery, name: 'DeliveryConnection' });
const EventConnection = builder.connectionObject({ type: Event, name: 'EventConnection' });

const waiting = loader(async (ids, context) => {
  const counts = await context.db.delivery.groupBy({
    by: 'webhookId',
    where: { webhookId: { in: ids }, state: 'WAITING' },
    _count: true,
  });
  return new Map(counts.map((count) => [count.webhookId, count._count]));
}, 0);

builder.prismaObjectFields(Webhook, (t) => ({
  waiting: t.int({
    description: 'Deliveries that are still to be made.',
    select: { id: true },
    resolve: ({ id }, _args, context) => waiting(id, context),
  }),
}));

builder.queryFields((t) => ({
  delivery: t.prismaField({
    type: Delivery,
    description: 'One delivery, with its attempts.',
    ability: 'webhooks:read',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      found(context.db.delivery.findUnique({ ...query, where: key(context, id) })),
  }),
  deliveries: t.connection(
    {
      type: Delivery,
      description: 'The audit log: what was sent, or will be. Kept for 90 days.',
      ability: 'webhooks:read',
      args: {
        webhookId: t.arg({ type: 'UUID', description: 'Only those to this webhook.' }),
        event: t.arg.string({
          description: 'Only those of events of this name: `invoice.paid`, say.',
          validate: text(64),
        }),
        eventId: t.arg({ type: 'UUID', description: 'Only those of this one event.' }),
        state: t.arg({ type: DeliveryState, description: 'Only those in this state.' }),
        since: t.arg({ type: 'DateTime', description: 'Only those made then or later.' }),
        until: t.arg({ type: 'DateTime', description: 'Only those made before then.' }),
        offset: t.arg.int(),
      },
      resolve: (_root, { webhookId, event, eventId, state, since, until, ...args }, context, info) => {
        const where: Prisma.DeliveryWhereInput = {
          ...(webhookId && { webhookId }),
          ...(event && { event: { type: event } }),
          ...(eventId && { eventId }),
          ...(state && { state }),
          createdAt: { gte: since ?? undefined, lt: until ?? undefined },
        };
        return readPage(
          { context, info },
          args,
          where,
          (query) => context.db.delivery.findMany(query),
          (query) => context.db.delivery.count(query),
        );
      },
    },
    DeliveryConnection,
  ),
  events: t.connection(
    {
      type: Event,
      description: 'What happened to the books, whether any webhook wants it or not.',
      ability: 'webhooks:read',
      args: {
        type: t.arg.string({ description: 'Only those of this name: `invoice.paid`, say.', validate: text(64) }),
        resourceId: t.arg({ type: 'UUID', description: 'Only those that happened to this resource.' }),
        offset: t.arg.int(),
      },
      resolve: (_root, { type, resourceId, ...args }, context, info) => {
        const where: Prisma.EventWhereInput = { ...(type && { type }), ...(resourceId && { resourceId }) };
        return readPage(
          { context, info },
          args,
          where,
          (query) => context.db.event.findMany(query),
          (query) => context.db.event.count(query),
        );
      },
    },
    EventConnection,
  ),
}));

/** A webhook that deliveries can be made for. */
async function sendable(context: Context, id: string) {
  const webhook = await found(context.db.webhook.findFirst({ where: { id, deletedAt: null } }));
  if (!webhook.active) refuse('webhookId', 'This webhook is off: enable it first.');
  return webhook;
}

builder.mutationFields((t) => ({
  pingWebhook: t.prismaField({
    type: Delivery,
    description: 'Sends webhook.ping, whatever events the webhook wants and whether or not it is active.',
    ability: 'webhooks:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id: webhookId }, context) =>
      context.transaction(async (inside) => {
        await found(inside.db.webhook.findFirst({ where: { id: webhookId, deletedAt: null } }));
        const createdAt = context.now();
        const body = renderBody('webhook.ping', context.tenant.id, createdAt, '{"message":"pong"}');
        const event = await inside.db.event.create({ data: { type: 'webhook.ping', body, createdAt } });
        const data = { webhookId, eventId: event.id, kind: 'PING', nextAttemptAt: createdAt } as const;
        const { id } = await inside.db.delivery.create({ data });
        return found(inside.db.delivery.findUnique({ ...query, where: key(context, id) }));
      }),
  }),

  redeliver: t.prismaField({
    type: Delivery,
    description: 'Makes a new delivery of the same event: a new id, attempt 1, the same body.',
    ability: 'webhooks:write',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Of a delivery.' }) },
    resolve: (query, _root, { id: earlier }, context) =>
      context.transaction(async (inside) => {
        const { webhookId, eventId } = await found(inside.db.delivery.findUnique({ where: key(context, earlier) }));
        await sendable(inside, webhookId);
        const data = { webhookId, eventId, kind: 'REDELIVERY', nextAttemptAt: context.now() } as const;
        const { id } = await inside.db.delivery.create({ data });
        return found(inside.db.delivery.findUnique({ ...query, where: key(context, id) }));
      }),
  }),

  redeliverMissed: t.int({
    description:
      'Makes a new delivery of each event that this webhook has missed since then: those whose deliveries all failed or were set aside. Answers how many.',
    ability: 'webhooks:write',
    args: {
      webhookId: t.arg({ type: 'UUID', required: true, description: 'A webhook that is active.' }),
      since: t.arg({ type: 'DateTime', required: true, description: 'Deliveries made then or later.' }),
    },
    resolve: (_root, { webhookId, since }, context) =>
      context.transaction(async (inside) => {
        await sendable(inside, webhookId);
        // Of two at once the second waits here, and finds the first one's deliveries on their way.
        await inside.db.webhook.update({ where: key(context, webhookId), data: { updatedAt: context.now() } });
        const missed = await inside.db.delivery.findMany({
          where: {
            webhookId,
            state: { in: ['FAILED', 'SET_ASIDE'] },
            kind: { not: 'PING' },
            createdAt: { gte: since },
            event: { deliveries: { none: { webhookId, state: { in: ['WAITING', 'DELIVERED'] } } } },
          },
          distinct: 'eventId',
          select: { eventId: true },
          orderBy: { id: 'asc' },
        });
        const plan = { webhookId, kind: 'REDELIVERY', nextAttemptAt: context.now() } as const;
        const { count } = await inside.db.delivery.createMany({
          data: missed.map(({ eventId }) => ({ ...plan, eventId })),
        });
        return count;
      }),
  }),
}));
