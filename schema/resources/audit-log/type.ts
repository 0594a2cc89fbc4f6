import type { AuditEntry as AuditEntryRow } from '../../../prisma/client.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { Node } from '../../graphql/node.ts';

/** The names in the schema of what the database has as text. */
const actions = { created: 'CREATED', updated: 'UPDATED', deleted: 'DELETED' } as const;
const kinds = {
  session: 'SESSION',
  token: 'TOKEN',
  user: 'USER',
  import: 'IMPORT',
  job: 'JOB',
  command_line: 'COMMAND_LINE',
} as const;

const AuditAction = builder.enumType('AuditAction', {
  description: 'What was done.',
  values: {
    CREATED: { description: 'It was made.' },
    UPDATED: { description: 'It was changed.' },
    DELETED: { description: 'It was deleted.' },
  },
});

const AuditActorKind = builder.enumType('AuditActorKind', {
  description: 'Who or what acted.',
  values: {
    SESSION: { description: 'A user, in the dashboard.' },
    TOKEN: { description: 'A program, with a token of a user.' },
    USER: { description: 'A user otherwise: one who accepted an invitation, say.' },
    IMPORT: { description: 'An import, for a user.' },
    JOB: { description: 'A job of the service.' },
    COMMAND_LINE: { description: 'The operator, on the command line.' },
  },
});

type Actor = Pick<AuditEntryRow, 'actorKind' | 'userId' | 'tokenId' | 'sessionId' | 'job'>;

const userNames = batchPerRequest<string | null, Context>(
  (ids, context) => context.identity.userNames(context, ids),
  null,
);
interface ActingUser {
  id: string;
}

export const AuditUser = builder.objectRef<ActingUser>('AuditUser').implement({
  description: 'A user who stands in the audit log.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The user.' }),
    name: t.string({
      nullable: true,
      description: "The user's name, as it is now; null if the account is gone.",
      resolve: ({ id }, _args, context) => userNames(id, context),
    }),
  }),
});

const tokenNames = batchPerRequest<string | null, Context>(
  (ids, context) => context.identity.tokenNames(context, ids),
  null,
);

const AuditActor = builder.objectRef<Actor>('AuditActor').implement({
  description: 'Who made a change.',
  fields: (t) => ({
    kind: t.field({
      type: AuditActorKind,
      description: 'Who or what acted.',
      resolve: ({ actorKind }) => kinds[actorKind as keyof typeof kinds],
    }),
    userId: t.expose('userId', {
      type: 'UUID',
      nullable: true,
      description: 'The user who acted, or for whom a token or an import did; null if no user did.',
    }),
    userName: t.string({
      nullable: true,
      description: "The user's name, as it is now; null if the account is gone.",
      resolve: ({ userId }, _args, context) => (userId === null ? null : userNames(userId, context)),
    }),
    tokenId: t.expose('tokenId', { type: 'UUID', nullable: true, description: 'The token; null without one.' }),
    tokenName: t.string({
      nullable: true,
      description: "The token's name, as it is now.",
      resolve: ({ tokenId }, _args, context) => (tokenId === null ? null : tokenNames(tokenId, context)),
    }),
    sessionId: t.expose('sessionId', { type: 'UUID', nullable: true, description: 'The session; null without one.' }),
    job: t.exposeString('job', { nullable: true, description: 'The job; null unless a job acted.' }),
  }),
});

export const AuditEntry = builder.prismaObject('AuditEntry', {
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id'),
    at: t.expose('at', { type: 'DateTime' }),
    actor: t.field({
      type: AuditActor,
      nullable: true,
      description: 'Who made the change; null for one past the service: in the database.',
      select: { actorKind: true, userId: true, tokenId: true, sessionId: true, job: true },
      resolve: (entry) => (entry.actorKind === null ? null : entry),
    }),
    requestId: t.expose('requestId', { type: 'UUID', nullable: true }),
    resource: t.exposeString('resource'),
    resourceId: t.expose('resourceId', { type: 'UUID', nullable: true }),
    version: t.exposeInt('version', { nullable: true }),
    action: t.field({
      type: AuditAction,
      description: 'What was done.',
      select: { action: true },
      resolve: ({ action }) => actions[action as keyof typeof actions],
    }),
    before: t.expose('before', { type: 'JsonObject', nullable: true }),
    after: t.expose('after', { type: 'JsonObject', nullable: true }),
    seal: t.string({
      nullable: true,
      description:
        "The entry's number in the tenant's chain and its hash, `POSITION:HASH`, which prove it and all entries before. Null for up to some minutes.",
      select: { seal: { select: { number: true, hash: true } } },
      resolve: ({ seal }) => seal && `${seal.number}:${Buffer.from(seal.hash).toString('hex')}`,
    }),
  }),
});
