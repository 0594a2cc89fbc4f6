import { builder } from '../graphql/builder.ts';
import { found } from '../errors/errors.ts';
import type { Session as SessionRow } from '../graphql/identity.ts';
import { idArgument } from '../graphql/input/id-argument.ts';

const Session = builder.objectRef<SessionRow>('Session').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    userAgent: t.exposeString('userAgent', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime' }),
    current: t.boolean({
      description: 'Whether it is the session of this request.',
      resolve: ({ id }, _args, { session }) => id === session?.id,
    }),
  }),
});

builder.queryField('sessions', (t) =>
  t.field({
    type: [Session],
    description: "The user's sessions, newest first.",
    inSession: true,
    resolve: (_root, _args, context) => context.identity.sessions(context),
  }),
);

builder.mutationFields((t) => ({
  revokeSession: t.field({
    type: Session,
    description: 'Ends a session of the user at once, and returns it.',
    inSession: true,
    args: idArgument,
    resolve: (_root, { id }, context) => found(context.identity.revokeSession(context, id)),
  }),

  revokeOtherSessions: t.int({
    description: 'Ends all other sessions of the user. Returns their number.',
    inSession: true,
    resolve: (_root, _args, context) => context.identity.revokeOtherSessions(context),
  }),
}));
