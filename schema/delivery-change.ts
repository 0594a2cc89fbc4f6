import { builder } from './builder.ts';
import { key } from './context.ts';
import { Delivery } from './delivery.ts';
import { found } from './errors.ts';

builder.subscriptionField('deliveryChanged', (t) =>
  t.prismaField({
    type: Delivery,
    description:
      'Each delivery that is made, tried or finished from now on, as it then stands; of several changes at once only the last may be told. Where some may have been missed, and once the token or session has ended, the connection breaks off: connect again, and read `deliveries` anew.',
    ability: 'webhooks:read',
    args: { webhookId: t.arg({ type: 'UUID', description: "Only this webhook's." }) },
    subscribe: (_root, { webhookId }, context) => context.watchDeliveries(webhookId),
    resolve: (query, id, _args, context) =>
      found(context.db.delivery.findUnique({ ...query, where: key(context, id as string) })),
  }),
);
