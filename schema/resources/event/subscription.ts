import { builder } from '../../graphql/builder.ts';
import { Event } from './type.ts';
import { findById } from '../../graphql/find-by-id.ts';
import type { Context } from '../../graphql/context.ts';
import { eventTypes } from '../../events/events.ts';
import { refuse } from '../../errors/errors.ts';
import { mustRead, mayRead } from '../../events/access.ts';

/** How many events are read at a time. */
const batchSize = 100;

interface Wanted {
  since?: Date | null;
  types?: readonly string[] | null;
}

builder.subscriptionField('eventEmitted', (t) =>
  t.prismaField({
    type: Event,
    description:
      'Each event from now on, at the moment at which it is sent to webhooks; whether or not a webhook subscribes to it. When the connection is closed, connect again with `since` a little before the `fannedOutAt` of the last event: then no event is missed, and some may come twice. Recognize these by `id`. Omits what the token may not read, as `events` does.',
    ability: 'webhooks:read',
    args: {
      since: t.arg({
        type: 'DateTime',
        description: 'Also events with this `fannedOutAt` or a later one, oldest first.',
      }),
      types: t.arg.stringList({ description: 'Only events with these names, such as `invoice.paid`. Default: all.' }),
    },
    subscribe: (_root, wanted, context) => follow(context, wanted),
    resolve: (query, id, _args, context) => findById(context, 'Event', id as string, query),
  }),
);

/** The ids of the events from `since` on, then of each further one once it is fanned out. Ends if some may be missed. */
async function follow(context: Context, { since, types }: Wanted): Promise<AsyncIterable<string>> {
  const unknown = types?.find((type) => !eventTypes.includes(type as (typeof eventTypes)[number]));
  if (unknown !== undefined) refuse('types', 'unknown_value', `There is no event "${unknown}".`);
  if (types) mustRead(context, types);
  const readable = (types ?? eventTypes).filter((type) => mayRead(context, type));
  const announced = await context.notifications.watch('events', ([id, type = '']) =>
    readable.includes(type) ? id : undefined,
  );
  let earlier: AsyncIterator<string> | undefined;
  try {
    // A transaction that has not seen this watcher is over after this. Its events are then read here.
    await context.db.waitForAdvisoryLock('event order');
    if (since) earlier = readEvents(context, since, readable);
  } catch (error) {
    await announced.return?.();
    throw error;
  }
  const iterator: AsyncIterableIterator<string> = {
    next: async () => {
      const step = await earlier?.next();
      if (step && !step.done) return step;
      earlier = undefined;
      return announced.next();
    },
    // A generator would handle this only after the next event.
    return: async () => (await announced.return?.(), { done: true, value: undefined }),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

async function* readEvents({ db }: Context, since: Date, types: string[]): AsyncGenerator<string> {
  let after: { fannedOutAt: Date | null; id: string } | undefined;
  do {
    const later = after && {
      OR: [
        { fannedOutAt: { gt: after.fannedOutAt ?? since } },
        { fannedOutAt: after.fannedOutAt, id: { gt: after.id } },
      ],
    };
    const batch = await db.event.findMany({
      where: { type: { in: types }, fannedOutAt: { gte: since }, ...later },
      orderBy: [{ fannedOutAt: 'asc' }, { id: 'asc' }],
      take: batchSize,
      select: { id: true, fannedOutAt: true },
    });
    for (const { id } of batch) yield id;
    after = batch.length === batchSize ? batch.at(-1) : undefined;
  } while (after);
}
