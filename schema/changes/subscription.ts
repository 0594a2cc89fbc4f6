import { builder } from '../graphql/builder.ts';
import type { Context } from '../graphql/context.ts';
import { ResourceNameType } from '../graphql/resource-name.ts';
import { ChangeType, sinceDescription } from './changes.ts';
import { encodeChangeCursor } from './change-cursor.ts';
import { maxChanges } from '../graphql/paging/page-sizes.ts';
import { endOfFeed, readChanges, getStart, watchChanges, type Change, type ChangesArgs } from './feed.ts';

builder.subscriptionField('changes', (t) =>
  t.field({
    type: ChangeType,
    description:
      'The change feed as it grows. When the connection is closed, connect again with the `cursor` of the last change as `since`: then no change is missed.',
    args: {
      since: t.arg.string({ description: `${sinceDescription} Without it, only changes from now on.` }),
      resource: t.arg({ type: [ResourceNameType], description: 'Only changes of these resources.' }),
    },
    subscribe: (_root, { since, resource }, context) => follow(context, { since: since ?? 'now', resource }),
    resolve: (change) => change as Change,
  }),
);

/** All changes after a cursor, then each further one once it is committed. Ends if changes may have been missed. */
async function follow(context: Context, args: ChangesArgs): Promise<AsyncIterable<Change>> {
  const start = getStart(context, await endOfFeed(context), args);
  const announced = await watchChanges(context, start.resources);
  let cursor = encodeChangeCursor(start);
  let page: Change[] = [];
  let mayHaveMore = true;
  const iterator: AsyncIterableIterator<Change> = {
    next: async () => {
      for (;;) {
        const change = page.shift();
        if (change) return { done: false, value: change };
        if (!mayHaveMore && (await announced.next()).done) return { done: true, value: undefined };
        const read = await readChanges(context, { since: cursor, limit: maxChanges });
        ({ cursor, hasMore: mayHaveMore } = read);
        page = [...read.nodes];
      }
    },
    // A generator would handle this only after the next change.
    return: async () => (await announced.return?.(), { done: true, value: undefined }),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
