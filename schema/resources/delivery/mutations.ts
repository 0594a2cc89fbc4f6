import { Delivery } from './type.ts';
import { maxAMinute, limitRequests, mustReadDelivery, refuseUnlessActive } from './rules.ts';
import { findMissed, maxMissed } from './missed.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { lockWebhook } from '../webhook/rules.ts';
import { renderBody } from '../../events/events.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { mustRead } from '../../events/access.ts';

builder.mutationFields((t) => ({
  pingWebhook: t.prismaField({
    type: Delivery,
    description: `Sends webhook.ping, regardless of the webhook's events, and even if it is off. At most ${maxAMinute} times a minute. Needs the abilities to read the resources of its events.`,
    ability: 'webhooks:write',
    args: idArgument,
    resolve: (query, _root, { id: webhookId }, context) =>
      context.transaction(async (inside) => {
        await lockWebhook(inside, { id: webhookId });
        const createdAt = context.now();
        await limitRequests(inside, { webhookId, kind: 'PING' });
        const body = renderBody('webhook.ping', context.tenant, createdAt, '{"message":"pong"}');
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
      return context.transaction(async (inside) => {
        const webhook = await lockWebhook(inside, { id: webhookId });
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
    description: `Makes a new delivery of each event that this webhook has missed since a given time: all deliveries of the event failed or were set aside. At most ${maxMissed} in one call, the oldest first: call again until it returns less. Returns the number of new deliveries. Needs the abilities to read the resources of these events.`,
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
      context.transaction(async (inside) => {
        const webhook = await lockWebhook(inside, { id: webhookId });
        refuseUnlessActive(webhook);
        const missed = await findMissed(inside.db, webhookId, since);
        const types = new Set(missed.map(({ type }) => type));
        mustRead(context, [...types]);
        const createdAt = context.now();
        const plan = { webhookId, kind: 'REDELIVERY', nextAttemptAt: createdAt, createdAt } as const;
        const rows = missed.map(({ eventId }) => inside.db.row('Delivery', { ...plan, eventId }));
        if (rows.length > 0) await inside.db.insert({ Delivery: rows });
        return rows.length;
      }),
  }),
}));
