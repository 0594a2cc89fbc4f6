import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import { mustRead } from '../../events/access.ts';
import { withId } from '../../events/events.ts';

export const Event = builder.prismaObject('Event', {
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The `webhook-id` header.' }),
    type: t.exposeString('type'),
    resourceId: t.expose('resourceId', { type: 'UUID', nullable: true }),
    body: t.string({
      description: 'The exact body of its deliveries: the bytes that are sent and signed.',
      select: { type: true, body: true },
      resolve: ({ type, body }, _args, context) => {
        mustRead(context, [type]);
        return body;
      },
    }),
    json: t.field({
      type: 'EventJson',
      description: 'The event as REST answers it.',
      select: { id: true, type: true, body: true },
      resolve: ({ id, type, body }, _args, context) => {
        mustRead(context, [type]);
        return withId(id, body);
      },
    }),
    requestId: t.expose('requestId', { type: 'UUID', nullable: true }),
    fannedOutAt: t.expose('fannedOutAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
