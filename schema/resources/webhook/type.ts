import { builder, type RowFields } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import { formerSecrets } from './secrets.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { type EventType, events as eventDescriptions } from '../../events/events.ts';
import type { Webhook as WebhookRow } from '../../../prisma/generated/client/client.ts';

const secretColumns = {
  secret: true,
  previousSecret: true,
  previousSecretUntil: true,
  signsWithPrevious: true,
  earlierSecret: true,
  earlierSecretUntil: true,
  signsWithEarlier: true,
} as const;

const example = {
  url: 'https://hooks.example.com/kontor',
  description: 'The shop',
  events: ['invoice.paid'],
  active: true,
  consecutiveFailures: 0,
  disabledAt: null,
  disabledReason: null,
  previousSecretUntil: null,
  formerSecretsUntil: [],
  lastFailureAt: null,
};

const fields = (t: RowFields<'Webhook'>) => ({
  id: t.exposeID('id'),
  url: t.exposeString('url'),
  description: t.exposeString('description', { nullable: true }),
  events: t.exposeStringList('events'),
  active: t.exposeBoolean('active', {
    description: 'Whether events are sent. If not, their deliveries are set aside.',
  }),
  consecutiveFailures: t.exposeInt('consecutiveFailures'),
  disabledAt: t.expose('disabledAt', { type: 'DateTime', nullable: true }),
  disabledReason: t.string({
    nullable: true,
    description: 'Why it was deactivated, in words; null while active or when paused by a user.',
    select: { disabledAt: true, consecutiveFailures: true },
    resolve: ({ disabledAt, consecutiveFailures }) =>
      disabledAt ? `${consecutiveFailures} deliveries in a row failed.` : null,
  }),
  previousSecretUntil: t.expose('previousSecretUntil', { type: 'DateTime', nullable: true }),
  formerSecretsUntil: t.field({
    type: ['DateTime'],
    description:
      "When each former secret expires, the oldest first: none, one or two. While there are two, the secret can't be rotated.",
    select: secretColumns,
    resolve: (webhook, _args, context) => formerSecrets(webhook, context.now()).map(({ until }) => until),
  }),
  lastSuccessAt: t.expose('lastSuccessAt', { type: 'DateTime', nullable: true }),
  lastFailureAt: t.expose('lastFailureAt', { type: 'DateTime', nullable: true }),
  version: t.exposeInt('version', {
    description: 'Grows with every change by a user. A change can expect it: `expectedVersion`.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime' }),
  updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
});

export const Webhook = builder.prismaObject('Webhook', { interfaces: [Node], example, fields });

/** The property in which the row of a new secret carries the secret itself. The column has it encrypted. */
const shown: unique symbol = Symbol('secret');
type ShowingSecret = WebhookRow & { [shown]: string };

export const withSecret = (row: WebhookRow, secret: string): ShowingSecret => ({ ...row, [shown]: secret });

/** A type of its own, so that no other field and no document of REST can ask for the secret. */
export const WebhookWithSecret = builder.prismaObject('Webhook', {
  variant: 'WebhookWithSecret',
  description: 'A webhook and its secret, which is shown only once.',
  example: { ...example, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
  fields: (t) => ({
    ...fields(t),
    secret: t.string({
      description:
        '`whsec_…`. The whole text is the key of X-Service-Signature; its base64 part, decoded, is the key of Standard Webhooks.',
      resolve: (row) => (row as ShowingSecret)[shown],
    }),
    webhook: t.prismaField({
      type: Webhook,
      description: 'The webhook.',
      select: { id: true },
      resolve: (query, { id }, _args, context) => findById(context, 'Webhook', id, query),
    }),
  }),
});

export const EventKind = builder.objectRef<EventType>('EventType').implement({
  description: 'A type of event to which a webhook can subscribe.',
  fields: (t) => ({
    name: t.string({ description: '`invoice.paid`, say.', resolve: (type) => type }),
    description: t.string({ description: 'When it happens, in words.', resolve: (type) => eventDescriptions[type] }),
  }),
});
