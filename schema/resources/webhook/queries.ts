import { EventKind, Webhook } from './type.ts';
import { webhookInputs } from './filter.ts';
import { maxWebhooks } from './rules.ts';
import { builder } from '../../graphql/builder.ts';
import { eventTypes } from '../../events/events.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { found } from '../../errors/errors.ts';
import { listArguments } from '../../graphql/lists.ts';
import { readPage } from '../../graphql/paging/page.ts';

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
  webhooks: t.connection(
    {
      type: Webhook,
      description: `The webhooks of the tenant, at most ${maxWebhooks}, newest first.`,
      ability: 'webhooks:read',
      args: { ...listArguments(webhookInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => {
        const { filter, order } = webhookInputs;
        const where = { AND: [{ deletedAt: null }, filter.toCondition(args.filter, context)] };
        return readPage({ context, info }, 'Webhook', args, where, order.columns);
      },
    },
    WebhookConnection,
  ),
}));
