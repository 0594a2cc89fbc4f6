import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { mustRead, readableEvents } from '../../events/access.ts';
import { eventTypes } from '../../events/events.ts';
import { builder } from '../../graphql/builder.ts';
import { periodRules } from '../../graphql/input/period.ts';
import { among, given } from '../../graphql/input/validators.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { Event } from './type.ts';

/** The types of the event log. */
const loggedTypes: string[] = [...eventTypes, 'webhook.ping'];

const EventConnection = builder.connectionObject({ type: Event, name: 'EventConnection' });

builder.queryField('events', (t) =>
  t.connection(
    {
      type: Event,
      description:
        'The event log: all events of the last 90 days, whether or not a webhook subscribes to them. Omits what the token may not read: `invoice.paid`, for example, needs `invoices:read`.',
      ability: 'webhooks:read',
      args: {
        type: t.arg.string({
          description: 'Only events with this name, such as `invoice.paid`.',
          validate: among(loggedTypes, 'There is no such event.'),
        }),
        resourceId: t.arg({ type: 'UUID', description: 'Only events of this resource.' }),
        from: t.arg({ type: 'DateTime', description: 'Created at this time or later.' }),
        to: t.arg({ type: 'DateTime', description: 'Created before this time.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: (_root, { type, resourceId, from, to, ...args }, context, info) => {
        if (type) mustRead(context, [type]);
        const where: Prisma.EventWhereInput = {
          ...(type ? { type } : readableEvents(context)),
          ...(resourceId && { resourceId }),
          ...((from || to) && { createdAt: { gte: given(from), lt: given(to) } }),
        };
        return readPage({ context, info }, 'Event', args, where);
      },
    },
    EventConnection,
  ),
);
