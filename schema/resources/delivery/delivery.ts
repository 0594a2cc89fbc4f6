import type {
  DeliveryKind as DeliveryKinds,
  DeliveryState as DeliveryStates,
  Prisma,
} from '../../../prisma/generated/client/client.ts';
import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import { key, type Context } from '../../graphql/context.ts';
import { CodedError, found, refuse } from '../../errors.ts';
import { mustRead, readableEvents } from '../../events/access.ts';
import { eventTypes, renderBody, withId } from '../../events/events.ts';
import { periodRules } from '../../graphql/filters/period.ts';
import { among, given, text } from '../../graphql/input/validators.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { Webhook, withLockedWebhook } from '../webhook/webhook.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';

const DeliveryKind = builder.enumType('DeliveryKind', {
  description: 'Why a delivery was created.',
  values: {
    EVENT: { description: 'An event happened to which the webhook subscribes.' },
    PING: { description: 'A user pressed Ping.' },
    REDELIVERY: { description: 'A user requested a redelivery of an event.' },
  } satisfies Record<DeliveryKinds, object>,
});

const DeliveryState = builder.enumType('DeliveryState', {
  description: 'The state of a delivery.',
  values: {
    WAITING: { description: 'Waiting for the first or next attempt, or an attempt is in progress.' },
    DELIVERED: { description: 'Answered with 2xx.' },
    FAILED: { description: 'The last attempt has failed.' },
    SET_ASIDE: { description: 'Not sent, because the webhook was off. Can be redelivered.' },
  } satisfies Record<DeliveryStates, object>,
});

export const Event = builder.prismaObject('Event', {
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The `webhook-id` header.' }),
    type: t.exposeString('type'),
    resourceId: t.expose('resourceId', { type: 'UUID', nullable: true }),
    body: t.string({
      description: 'The exact body of its deliveries: the bytes that are sent and signed.',
      select: { type: true, body: true },
      resolve: ({ type, body }, _args, context) => {
        mustRead(context, [type]);
        return body;
      },
    }),
    json: t.field({
      type: 'EventJson',
      description: 'The event as REST answers it.',
      select: { id: true, type: true, body: true },
      resolve: ({ id, type, body }, _args, context) => {
        mustRead(context, [type]);
        return withId(id, body);
      },
    }),
    requestId: t.expose('requestId', { type: 'UUID', nullable: true }),
    fannedOutAt: t.expose('fannedOutAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const Header = builder.objectRef<{ name: string; value: string }>('Header').implement({
  description: 'A header of a request or a response.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "The header's name; in lower case if it was received." }),
    value: t.exposeString('value', { description: "The header's value." }),
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
      description: 'The first 16 KiB of the response, as text.',
      select: { responseBody: true },
      resolve: ({ responseBody }) => (responseBody ? Buffer.from(responseBody).toString() : null),
    }),
    error: t.exposeString('error', { nullable: true }),
  }),
});

export const Delivery = builder.prismaObject('Delivery', {
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id'),
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
/** The types of the event log. */
const loggedTypes: string[] = [...eventTypes, 'webhook.ping'];

const EventConnection = builder.connectionObject({ type: Event, name: 'EventConnection' });

const waiting = batchPerRequest(async (ids, context: Context) => {
  const counts = await context.db.delivery.groupBy({
    by: 'webhookId',
    where: { webhookId: { in: ids }, state: 'WAITING' },
    _count: true,
  });
  return new Map(counts.map((count) => [count.webhookId, count._count]));
}, 0);

builder.prismaObjectFields(Webhook, (t) => ({
  waiting: t.int({
    description: 'The number of waiting deliveries.',
    select: { id: true },
    resolve: ({ id }, _args, context) => waiting(id, context),
  }),
}));

builder.queryFields((t) => ({
  delivery: t.prismaField({
    type: Delivery,
    description: 'One delivery, with its attempts. Needs the ability to read the resource of its event.',
    ability: 'webhooks:read',
    args: idArgument,
    resolve: async (query, _root, { id }, context) => {
      await mustReadDelivery(context, id);
      return findById(context, 'Delivery', id, query);
    },
  }),
  deliveries: t.connection(
    {
      type: Delivery,
      description:
        'The audit log: all deliveries of the last 90 days. Omits what the token may not read: deliveries of `invoice.paid`, for example, need `invoices:read`.',
      ability: 'webhooks:read',
      args: {
        webhookId: t.arg({ type: 'UUID', description: 'Only deliveries to this webhook.' }),
        event: t.arg.string({
          description: 'Only deliveries of events with this name, such as `invoice.paid`.',
          validate: text(64),
        }),
        eventId: t.arg({ type: 'UUID', description: 'Only deliveries of this event.' }),
        state: t.arg({ type: DeliveryState, description: 'Only rows in this state.' }),
        since: t.arg({ type: 'DateTime', description: 'Created at this time or later.' }),
        until: t.arg({ type: 'DateTime', description: 'Created before this time.' }),
        offset: t.arg.int(),
      },
      resolve: (_root, { webhookId, event, eventId, state, since, until, ...args }, context, info) => {
        if (event) mustRead(context, [event]);
        const readable = readableEvents(context);
        const where: Prisma.DeliveryWhereInput = {
          ...(webhookId && { webhookId }),
          ...((event || readable) && { event: event ? { type: event } : readable }),
          ...(eventId && { eventId }),
          ...(state && { state }),
          createdAt: { gte: since ?? undefined, lt: until ?? undefined },
        };
        return readPage({ context, info }, 'Delivery', args, where);
      },
    },
    DeliveryConnection,
  ),
  events: t.connection(
    {
      type: Event,
      description:
        'The event log: all events of the last 90 days, whether or not a webhook subscribes to them. Omits what the token may not read: `invoice.paid`, for example, needs `invoices:read`.',
      ability: 'webhooks:read',
      args: {
        type: t.arg.string({
          description: 'Only events with this name, such as `invoice.paid`.',
          validate: among(loggedTypes, 'There is no such event.'),
        }),
        resourceId: t.arg({ type: 'UUID', description: 'Only events of this resource.' }),
        from: t.arg({ type: 'DateTime', description: 'Created at this time or later.' }),
        to: t.arg({ type: 'DateTime', description: 'Created before this time.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: (_root, { type, resourceId, from, to, ...args }, context, info) => {
        if (type) mustRead(context, [type]);
        const where: Prisma.EventWhereInput = {
          ...(type ? { type } : readableEvents(context)),
          ...(resourceId && { resourceId }),
          ...((from || to) && { createdAt: { gte: given(from), lt: given(to) } }),
        };
        return readPage({ context, info }, 'Event', args, where);
      },
    },
    EventConnection,
  ),
}));

/** @throws NotFoundError; ForbiddenError where the caller may not read the resource of the delivery's event */
async function mustReadDelivery(context: Context, id: string): Promise<void> {
  const select = { id: true, event: { select: { type: true } } } as const;
  const { event } = await found(context.db.delivery.findUnique({ where: key(context, id), select }));
  mustRead(context, [event.type]);
}

/** The limit of redeliveries of one event to one webhook, and of pings of one webhook, within a minute. */
const maxAMinute = 10;
const minuteMs = 60_000;

/** @throws CodedError RATE_LIMITED where as many deliveries were made on request within the last minute */
async function limitRequests(
  { db, now }: Context,
  requested: { webhookId: string; eventId?: string; kind: 'PING' | 'REDELIVERY' },
): Promise<void> {
  const since = new Date(now().getTime() - minuteMs);
  const recent = await db.delivery.findMany({
    where: { ...requested, createdAt: { gt: since } },
    select: { createdAt: true },
    orderBy: { id: 'desc' },
    take: maxAMinute,
  });
  const oldest = recent.at(maxAMinute - 1);
  if (!oldest) return;
  const retryAfter = Math.max(1, Math.ceil((oldest.createdAt.getTime() - since.getTime()) / 1000));
  const message = `At most ${maxAMinute} within a minute. Try again in ${retryAfter} seconds.`;
  throw new CodedError('RATE_LIMITED', message, { retryAfter });
}

/** Requires a webhook that is on. */
function refuseUnlessActive({ active }: { active: boolean }): void {
  if (!active) refuse('webhookId', 'This webhook is off: enable it first.');
}

builder.mutationFields((t) => ({
  pingWebhook: t.prismaField({
    type: Delivery,
    description: `Sends webhook.ping, regardless of the webhook's events, and even if it is off. At most ${maxAMinute} times a minute. Needs the abilities to read the resources of its events.`,
    ability: 'webhooks:write',
    args: idArgument,
    resolve: (query, _root, { id: webhookId }, context) =>
      withLockedWebhook(context, webhookId, async (inside) => {
        const createdAt = context.now();
        await limitRequests(inside, { webhookId, kind: 'PING' });
        const body = renderBody('webhook.ping', context.tenant.id, createdAt, '{"message":"pong"}');
        const event = await inside.db.event.create({ data: { type: 'webhook.ping', body, createdAt } });
        const data = { webhookId, eventId: event.id, kind: 'PING', nextAttemptAt: createdAt, createdAt } as const;
        const { id } = await inside.db.delivery.create({ data });
        return findById(inside, 'Delivery', id, query);
      }),
  }),

  redeliver: t.prismaField({
    type: Delivery,
    description: `Makes a new delivery of the same event: a new id, attempt 1, the same body. At most ${maxAMinute} a minute of one event to one webhook. Needs the abilities to read the resources of the webhook's events.`,
    ability: 'webhooks:write',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of a delivery.' }) },
    rules: async ({ id }, context) => {
      if (id) await mustReadDelivery(context, id);
    },
    resolve: async (query, _root, { id: earlier }, context) => {
      // Neither of these changes.
      const { webhookId, eventId } = await findById(context, 'Delivery', earlier);
      return withLockedWebhook(context, webhookId, async (inside, webhook) => {
        refuseUnlessActive(webhook);
        await limitRequests(inside, { webhookId, eventId, kind: 'REDELIVERY' });
        const createdAt = context.now();
        const data = { webhookId, eventId, kind: 'REDELIVERY', nextAttemptAt: createdAt, createdAt } as const;
        const { id } = await inside.db.delivery.create({ data });
        return findById(inside, 'Delivery', id, query);
      });
    },
  }),

  redeliverMissed: t.int({
    description:
      'Makes a new delivery of each event that this webhook has missed since a given time: all deliveries of the event failed or were set aside. Returns the number of new deliveries. Needs the abilities to read the resources of these events.',
    ability: 'webhooks:write',
    args: {
      webhookId: t.arg({ type: 'UUID', required: true, description: 'A webhook that is active.' }),
      since: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Considers deliveries that were created at this time or later.',
      }),
    },
    resolve: (_root, { webhookId, since }, context) =>
      // Of two concurrent requests, the second waits here, and then finds the first one's deliveries.
      withLockedWebhook(context, webhookId, async (inside, webhook) => {
        refuseUnlessActive(webhook);
        const missed = await inside.db.delivery.findMany({
          where: {
            webhookId,
            state: { in: ['FAILED', 'SET_ASIDE'] },
            kind: { not: 'PING' },
            createdAt: { gte: since },
            event: { deliveries: { none: { webhookId, state: { in: ['WAITING', 'DELIVERED'] } } } },
          },
          distinct: 'eventId',
          select: { eventId: true, event: { select: { type: true } } },
          orderBy: { id: 'asc' },
        });
        const types = new Set(missed.map(({ event }) => event.type));
        mustRead(context, [...types]);
        const plan = { webhookId, kind: 'REDELIVERY', nextAttemptAt: context.now() } as const;
        const { count } = await inside.db.delivery.createMany({
          data: missed.map(({ eventId }) => ({ ...plan, eventId })),
        });
        return count;
      }),
  }),
}));
