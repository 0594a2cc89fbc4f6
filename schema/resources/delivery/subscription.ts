import { builder } from '../../builder.ts';
import { Delivery } from './delivery.ts';
import { readableEvents } from '../../events/access.ts';
import { findById } from '../../rows/find-by-id.ts';

builder.subscriptionField('deliveryChanged', (t) =>
  t.prismaField({
    type: Delivery,
    description:
      'Each delivery that is made, tried or finished from now on, as it then stands; of several changes at once only the last may be told. Where some may have been missed, and once the token or session has ended, the connection breaks off: connect again, and read `deliveries` anew. Leaves out what the token may not read, as `deliveries` does.',
    ability: 'webhooks:read',
    args: { webhookId: t.arg({ type: 'UUID', description: "Only this webhook's." }) },
    subscribe: async (_root, { webhookId }, context) => {
      const changes = await context.watchDeliveries(webhookId);
      const readable = readableEvents(context);
      if (!readable) return changes;
      return filtered(changes, async (id) => {
        const where = { id, event: readable };
        return (await context.db.delivery.findFirst({ where, select: { id: true } })) !== null;
      });
    },
    resolve: (query, id, _args, context) => findById(context, 'Delivery', id as string, query),
  }),
);

/** Those for which `isWanted` holds. Ends with its source, also while it waits for that. */
function filtered<Item>(source: AsyncIterable<Item>, isWanted: (item: Item) => Promise<boolean>): AsyncIterable<Item> {
  const items = source[Symbol.asyncIterator]();
  const iterator: AsyncIterableIterator<Item> = {
    next: async () => {
      for (;;) {
        const step = await items.next();
        if (step.done || (await isWanted(step.value))) return step;
      }
    },
    // A generator would answer this only after its source's next item.
    return: async () => (await items.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
