import { EventKind, Webhook } from './type.ts';
import { maxWebhooks } from './rules.ts';
import { builder } from '../../graphql/builder.ts';
import { eventTypes } from '../../events/events.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { found } from '../../errors.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { maxPageSize } from '../../graphql/paging/page-sizes.ts';

const WebhookConnection = builder.connectionObject({ type: Webhook, name: 'WebhookConnection' });

builder.queryFields((t) => ({
  eventTypes: t.field({
    type: [EventKind],
    description: 'All types of events, by resource. `webhook.ping` is not among them: it is sent only on request.',
    ability: 'webhooks:read',
    resolve: () => eventTypes,
  }),
  webhook: t.prismaField({
    type: Webhook,
    nullable: true,
    description: 'One webhook.',
    ability: 'webhooks:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      found(context.db.webhook.findFirst({ ...query, where: { id, deletedAt: null } })),
  }),
  webhooks: t.prismaField({
    type: [Webhook],
    description: `All webhooks of the tenant, at most ${maxWebhooks}.`,
    ability: 'webhooks:read',
    resolve: (query, _root, _args, context) =>
      context.db.webhook.findMany({ ...query, where: { deletedAt: null }, orderBy: { id: 'desc' }, take: maxPageSize }),
  }),
  webhookList: t.connection(
    {
      type: Webhook,
      description: 'The webhooks in pages, newest first.',
      ability: 'webhooks:read',
      args: {
        updatedSince: t.arg({ type: 'DateTime', description: 'Only webhooks that changed at this time or later.' }),
        offset: t.arg.int(),
      },
      resolve: (_root, { updatedSince, ...args }, context, info) =>
        readPage({ context, info }, 'Webhook', args, {
          deletedAt: null,
          ...(updatedSince && { updatedAt: { gte: updatedSince } }),
        }),
    },
    WebhookConnection,
  ),
}));
