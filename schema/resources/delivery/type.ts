import { builder } from '../../graphql/builder.ts';
import type {
  DeliveryKind as DeliveryKinds,
  DeliveryState as DeliveryStates,
} from '../../../prisma/generated/client/client.ts';
import { Node } from '../../graphql/node.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { Webhook } from '../webhook/type.ts';

const DeliveryKind = builder.enumType('DeliveryKind', {
  description: 'Why a delivery was created.',
  values: {
    EVENT: { description: 'An event happened to which the webhook subscribes.' },
    PING: { description: 'A user pressed Ping.' },
    REDELIVERY: { description: 'A user requested a redelivery of an event.' },
  } satisfies Record<DeliveryKinds, object>,
});

export const DeliveryState = builder.enumType('DeliveryState', {
  description: 'The state of a delivery.',
  values: {
    WAITING: { description: 'Waiting for the first or next attempt, or an attempt is in progress.' },
    DELIVERED: { description: 'Answered with 2xx.' },
    FAILED: { description: 'The last attempt has failed.' },
    SET_ASIDE: { description: 'Not sent, because the webhook was off. Can be redelivered.' },
  } satisfies Record<DeliveryStates, object>,
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
    eventId: t.expose('eventId', { type: 'UUID' }),
    eventType: t.string({
      description: "The event's name, such as `invoice.paid`.",
      select: { event: { select: { type: true } } },
      resolve: ({ event }) => event.type,
    }),
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
