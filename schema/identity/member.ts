import { builder } from '../graphql/builder.ts';
import { found } from '../errors/errors.ts';
import type { Invitation as InvitationRow, Member as MemberRow } from '../graphql/identity.ts';
import { email } from '../graphql/input/validators.ts';
import { User } from './profile.ts';
import { idArgument } from '../graphql/input/id-argument.ts';

const Member = builder.objectRef<MemberRow>('Member').implement({
  description: 'A user who belongs to the tenant.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user.' }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'When they became a member.' }),
    emailVerifiedAt: t.expose('emailVerifiedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the e-mail address was proven, by the operator who made the account. Null if an invitation made the account: its address is unproven.',
    }),
  }),
});

const Invitation = builder.objectRef<InvitationRow>('Invitation').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    email: t.exposeString('email'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    invitedBy: t.expose('invitedBy', {
      type: User,
      nullable: true,
      description: 'The member who made it; null if it was made on the command line.',
    }),
  }),
});

const InvitationWithLink = builder
  .objectRef<{ invitation: InvitationRow; link: string }>('InvitationWithLink')
  .implement({
    description: 'An invitation and its link, which is shown only once. No mail is sent.',
    fields: (t) => ({
      invitation: t.expose('invitation', { type: Invitation, description: 'The new invitation.' }),
      link: t.exposeString('link', { description: 'Pass it on to the invited person, who opens it in a browser.' }),
    }),
  });

builder.queryFields((t) => ({
  members: t.field({
    type: [Member],
    description: "The tenant's members, in the order in which they joined.",
    inSession: true,
    resolve: (_root, _args, context) => context.identity.members(context),
  }),
  invitations: t.field({
    type: [Invitation],
    description: 'Open invitations, newest first.',
    inSession: true,
    resolve: (_root, _args, context) => context.identity.invitations(context),
  }),
}));

builder.mutationFields((t) => ({
  removeMember: t.field({
    type: Member,
    description:
      "Removes a user from the tenant at once. Their sessions and tokens lose access to it, and the invitations that they made end. The last member can't be removed.",
    inSession: true,
    args: {
      userId: t.arg({
        type: 'UUID',
        required: true,
        description: 'The member to remove. A user who is no member is answered as not found.',
      }),
    },
    resolve: (_root, { userId }, context) => found(context.identity.removeMember(context, userId)),
  }),

  inviteMember: t.field({
    type: InvitationWithLink,
    description:
      'Makes an invitation with a link to join the tenant. An earlier invitation of the same address ends. A tenant can have 100 open invitations.',
    inSession: true,
    args: { email: t.arg.string({ required: true, validate: email, description: 'The e-mail address to invite.' }) },
    resolve: (_root, args, context) => context.identity.inviteMember(context, args.email),
  }),

  revokeInvitation: t.field({
    type: Invitation,
    description: 'Revokes an invitation, and returns it. Its link no longer works.',
    inSession: true,
    args: idArgument,
    resolve: (_root, { id }, context) => found(context.identity.revokeInvitation(context, id)),
  }),
}));
