import { builder } from '../../graphql/builder.ts';
import { Delivery } from './type.ts';
import { readableEvents } from '../../events/access.ts';
import { findById } from '../../graphql/find-by-id.ts';

builder.subscriptionField('deliveryChanged', (t) =>
  t.prismaField({
    type: Delivery,
    description:
      'Each delivery that is created, attempted or finished from now on, in its new state. Of several changes in quick succession, only the last may be sent. When changes may have been missed, and when the token or session ends, the connection is closed: connect again, and read `deliveries` again. Omits what the token may not read, as `deliveries` does.',
    ability: 'webhooks:read',
    args: { webhookId: t.arg({ type: 'UUID', description: 'Only deliveries to this webhook.' }) },
    subscribe: async (_root, { webhookId }, context) => {
      const changes = await context.notifications.watch('deliveries', ([ofWebhook, id]) =>
        webhookId == null || webhookId === ofWebhook ? id : undefined,
      );
      try {
        // A transaction that has not seen this watcher is over after this. Whoever then reads the deliveries sees its own.
        await context.db.waitForAdvisoryLock('delivery order');
      } catch (error) {
        await changes.return?.();
        throw error;
      }
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

/** The items for which `isWanted` holds. Ends with its source, also while waiting for it. */
function filtered<Item>(source: AsyncIterable<Item>, isWanted: (item: Item) => Promise<boolean>): AsyncIterable<Item> {
  const items = source[Symbol.asyncIterator]();
  const iterator: AsyncIterableIterator<Item> = {
    next: async () => {
      for (;;) {
        const step = await items.next();
        if (step.done || (await isWanted(step.value))) return step;
      }
    },
    // A generator would handle this only after the next item of its source.
    return: async () => (await items.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
