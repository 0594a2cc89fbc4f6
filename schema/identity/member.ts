import { builder } from '../builder.ts';
import { found } from '../errors.ts';
import type { Invitation as InvitationRow, Member as MemberRow } from './identity.ts';
import { email } from '../input/validators.ts';
import { User } from './profile.ts';
import { idArgument } from '../input/id-argument.ts';

const Member = builder.objectRef<MemberRow>('Member').implement({
  description: 'A user who belongs to the tenant.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'Who it is.' }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'When they became a member.' }),
    emailVerifiedAt: t.expose('emailVerifiedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the address was proven to be theirs: by the operator who made the account. Null for an account that an invitation made, whose address nobody has proven.',
    }),
  }),
});

const Invitation = builder.objectRef<InvitationRow>('Invitation').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    email: t.exposeString('email'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    invitedBy: t.expose('invitedBy', {
      type: User,
      nullable: true,
      description: 'Null when it was made on the command line.',
    }),
  }),
});

const InvitationWithLink = builder
  .objectRef<{ invitation: InvitationRow; link: string }>('InvitationWithLink')
  .implement({
    description: 'An invitation and its link, which is shown this once: no mail is sent.',
    fields: (t) => ({
      invitation: t.expose('invitation', { type: Invitation, description: 'As it was made.' }),
      link: t.exposeString('link', { description: 'For the person invited, who opens it in a browser.' }),
    }),
  });

builder.queryFields((t) => ({
  members: t.field({
    type: [Member],
    description: 'Who belongs to the tenant, in the order they joined.',
    inSession: true,
    resolve: (_root, _args, { identity }) => identity.members(),
  }),
  invitations: t.field({
    type: [Invitation],
    description: 'Those that can still be accepted, newest first.',
    inSession: true,
    resolve: (_root, _args, { identity }) => identity.invitations(),
  }),
}));

builder.mutationFields((t) => ({
  removeMember: t.field({
    type: Member,
    description:
      'Takes a user out of the tenant at once: their sessions and tokens lose it, and the invitations they made end. The last member has to stay.',
    inSession: true,
    args: { userId: t.arg({ type: 'UUID', required: true, description: 'Whom. One who is no member is not found.' }) },
    resolve: (_root, { userId }, { identity }) => found(identity.removeMember(userId)),
  }),

  inviteMember: t.field({
    type: InvitationWithLink,
    description:
      'Makes a link that lets a person join the tenant. An earlier one for the same address ends. At most 100 of a tenant are open at a time.',
    inSession: true,
    args: { email: t.arg.string({ required: true, validate: email, description: 'Of whom to invite.' }) },
    resolve: (_root, args, { identity }) => identity.inviteMember(args.email),
  }),

  revokeInvitation: t.field({
    type: Invitation,
    description: 'Answers the invitation as it was; its link no longer works.',
    inSession: true,
    args: idArgument,
    resolve: (_root, { id }, { identity }) => found(identity.revokeInvitation(id)),
  }),
}));
