import { Delivery, DeliveryState } from './type.ts';
import { mustReadDelivery } from './rules.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { text } from '../../graphql/input/validators.ts';
import { mustRead, readableEvents } from '../../events/access.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { readPage } from '../../graphql/paging/page.ts';

const DeliveryConnection = builder.connectionObject({ type: Delivery, name: 'DeliveryConnection' });

builder.queryFields((t) => ({
  delivery: t.prismaField({
    type: Delivery,
    nullable: true,
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
        'The delivery log: all deliveries of the last 90 days. Omits what the token may not read: deliveries of `invoice.paid`, for example, need `invoices:read`.',
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
}));
