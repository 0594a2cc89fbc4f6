import { builder, type InputFields } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import { key, type Context } from '../../graphql/context.ts';
import { deprecated } from '../../graphql/deprecation.ts';
import { found, NotFoundError, refuse, type Problems } from '../../errors.ts';
import { mustRead } from '../../events/access.ts';
import { events as eventDescriptions, eventTypes, type EventType } from '../../events/events.ts';
import { given, notNull, text } from '../../graphql/input/validators.ts';
import { withLockedRow } from '../../rows/locked-row.ts';
import { maxPageSize } from '../../graphql/paging/page.ts';
import { formatTime } from '../../graphql/scalars/scalars.ts';
import { formerSecrets, rotatedSecrets } from './secrets.ts';
import type { Webhook as WebhookRow } from '../../../prisma/generated/client/client.ts';
import type { Db, RowLock } from '../../../prisma/client.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';

/** At most this many per tenant. */
export const maxWebhooks = 10;
/** The failed delivery in a row that deactivates a webhook (CONTRACT.md#delivery-outcome). */
export const failuresToDeactivate = 100;

const secretColumns = {
  secret: true,
  previousSecret: true,
  previousSecretUntil: true,
  signsWithPrevious: true,
  earlierSecret: true,
  earlierSecretUntil: true,
  signsWithEarlier: true,
} as const;

export const Webhook = builder.prismaObject('Webhook', {
  interfaces: [Node],
  fields: (t) => ({
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
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const WebhookWithSecret = builder.objectRef<{ id: string; secret: string }>('WebhookWithSecret').implement({
  description: 'A webhook and its secret, which is shown only once.',
  fields: (t) => ({
    webhook: t.prismaField({
      type: Webhook,
      description: 'The webhook.',
      resolve: (query, { id }, _args, context) => findById(context, 'Webhook', id, query),
    }),
    secret: t.exposeString('secret', {
      description:
        '`whsec_…`. The whole text is the key of X-Service-Signature; its base64 part, decoded, is the key of Standard Webhooks.',
    }),
  }),
});

const EventKind = builder.objectRef<EventType>('EventType').implement({
  description: 'A type of event to which a webhook can subscribe.',
  fields: (t) => ({
    name: t.string({ description: '`invoice.paid`, say.', resolve: (type) => type }),
    description: t.string({ description: 'When it happens, in words.', resolve: (type) => eventDescriptions[type] }),
    occasion: t.string({
      description: 'When it happens, in words.',
      deprecationReason: deprecated('Use `description`.', '2026-11-22', '2027-06-01'),
      resolve: (type) => eventDescriptions[type],
    }),
  }),
});

const url = text(2048);

const optionalFields = (t: InputFields) => ({
  description: t.string({ validate: text(255) }),
  events: t.stringList({
    description: `Names of events, or \`*\` for all (default): ${eventTypes.join(', ')}.`,
    ...notNull,
  }),
});

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook.',
  fields: (t) => ({ url: t.string({ required: true, validate: url }), ...optionalFields(t) }),
});

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Only the fields that are present change.',
  fields: (t) => ({
    url: t.string({ validate: url, ...notNull }),
    active: t.boolean({ description: 'False pauses the webhook, true resumes it.', ...notNull }),
    ...optionalFields(t),
  }),
});

const known = new Set<string>(['*', ...eventTypes]);

/**
 * A webhook sends its events' resources to the owner of its address.
 * @throws ForbiddenError if the caller may not read all of them
 */
function mustReadWanted(context: Context, events: readonly (string | null | undefined)[]): void {
  mustRead(
    context,
    events.filter((event) => event != null),
  );
}

async function webhookRules(
  input: { url?: string | null; events?: (string | null | undefined)[] | null },
  context: Context,
  problems: Problems,
): Promise<void> {
  const fault = input.url ? await context.webhooks.urlFault(input.url) : undefined;
  if (fault) problems.add('input.url', fault);
  if (input.events?.length === 0) problems.add('input.events', 'Must name at least one event, or *.');
  for (const [index, event] of (input.events ?? []).entries()) {
    if (event && !known.has(event)) problems.add(`input.events.${index}`, 'There is no such event.');
  }
}

const existing = (context: Context, id: string): Promise<WebhookRow> =>
  found(context.db.webhook.findFirst({ where: { id, deletedAt: null } }));

/**
 * Runs a change while the webhook is locked.
 * @throws NotFoundError if it is deleted; ForbiddenError if the caller may not read all of its events
 *   (DECISIONS.md#d117-managing-webhooks)
 */
export const withLockedWebhook = <Result>(
  context: Context,
  id: string,
  work: (inside: Context, webhook: WebhookRow) => Promise<Result>,
  lock?: RowLock,
): Promise<Result> =>
  withLockedRow(
    context,
    'Webhook',
    id,
    async (inside, webhook) => {
      if (webhook.deletedAt) throw new NotFoundError();
      mustRead(context, webhook.events);
      return work(inside, webhook);
    },
    lock,
  );

builder.queryFields((t) => ({
  eventTypes: t.field({
    type: [EventKind],
    description: 'All types of events, by resource. `webhook.ping` is not among them: it is sent only on request.',
    ability: 'webhooks:read',
    resolve: () => eventTypes,
  }),
  webhook: t.prismaField({
    type: Webhook,
    description: 'One webhook.',
    ability: 'webhooks:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      found(context.db.webhook.findFirst({ ...query, where: { id, deletedAt: null } })),
  }),
  webhooks: t.prismaField({
    type: [Webhook],
    description: `All webhooks of the tenant, at most ${maxWebhooks}.`,
    ability: 'webhooks:read',
    resolve: (query, _root, _args, context) =>
      context.db.webhook.findMany({ ...query, where: { deletedAt: null }, orderBy: { id: 'desc' }, take: maxPageSize }),
  }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: WebhookWithSecret,
    description: `Adds a webhook and makes its secret. A tenant has at most ${maxWebhooks}. Needs the abilities to read the resources of its events.`,
    ability: 'webhooks:write',
    args: { input: t.arg({ type: CreateWebhookInput, required: true }) },
    rules: ({ input }, context, problems) => {
      mustReadWanted(context, input?.events ?? ['*']);
      return webhookRules(input ?? {}, context, problems);
    },
    resolve: async (_root, { input }, context) => {
      const secret = context.webhooks.newSecret();
      const data = { ...input, events: input.events ?? ['*'], secret: context.webhooks.seal(secret) };
      const id = await insertIntoSlot(context.db, data);
      if (id === undefined) refuse('input', `A tenant has at most ${maxWebhooks} webhooks.`);
      return { id, secret };
    },
  }),

  updateWebhook: t.prismaField({
    type: Webhook,
    description:
      'Changes, pauses or resumes a webhook. Needs the abilities to read the resources of its events, of those before and those after the change.',
    ability: 'webhooks:write',
    args: { ...idArgument, input: t.arg({ type: UpdateWebhookInput, required: true }) },
    rules: async ({ id, input }, context, problems) => {
      if (id) {
        const webhook = await existing(context, id);
        mustReadWanted(context, [...webhook.events, ...(input?.events ?? [])]);
      }
      await webhookRules(input ?? {}, context, problems);
    },
    resolve: (query, _root, { id, input }, context) =>
      withLockedWebhook(context, id, async (inside, current) => {
        const { url: to, active, events, description } = input;
        const enabled = active === true && !current.active ? enabling : {};
        const data = { url: given(to), events: given(events), description, active: given(active), ...enabled };
        await inside.db.webhook.update({ where: key(context, id), data });
        return findById(inside, 'Webhook', id, query);
      }),
  }),

  enableWebhook: t.prismaField({
    type: Webhook,
    description:
      'Makes a deactivated or paused webhook active again. The count of failures starts at 0. Needs the abilities to read the resources of its events.',
    ability: 'webhooks:write',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      withLockedWebhook(context, id, async (inside, current) => {
        if (!current.active) await inside.db.webhook.update({ where: key(context, id), data: enabling });
        return findById(inside, 'Webhook', id, query);
      }),
  }),

  rotateWebhookSecret: t.field({
    type: WebhookWithSecret,
    description:
      'Makes a new secret. The previous one stays valid for 24 hours. The Standard Webhooks header carries a signature for each valid secret, at most three. X-Service-Signature uses the oldest valid secret, or at once the new one. A third rotation within 24 hours is refused. Needs the abilities to read the resources of its events.',
    ability: 'webhooks:write',
    args: {
      ...idArgument,
      immediately: t.arg.boolean({
        description: 'Whether X-Service-Signature uses the new secret at once.',
      }),
    },
    resolve: (_root, { id, immediately }, context) =>
      withLockedWebhook(context, id, async (inside, webhook) => {
        const now = context.now();
        const secret = context.webhooks.newSecret();
        const data = rotatedSecrets(webhook, context.webhooks.seal(secret), { immediately: immediately === true, now });
        if (!data) {
          const [oldest] = formerSecrets(webhook, now);
          refuse('id', `Was rotated twice within 24 hours. It can be again from ${formatTime(oldest?.until ?? now)}.`);
        }
        await inside.db.webhook.update({ where: key(context, id), data });
        return { id, secret };
      }),
  }),

  deleteWebhook: t.prismaField({
    type: Webhook,
    description:
      'Deletes a webhook. Its waiting deliveries are set aside. All its deliveries stay in the audit log. Needs the abilities to read the resources of its events.',
    ability: 'webhooks:write',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      withLockedWebhook(
        context,
        id,
        async (inside) => {
          const webhook = await findById(inside, 'Webhook', id, query);
          const data = { deletedAt: context.now(), slot: null, active: false };
          await inside.db.webhook.update({ where: key(context, id), data });
          await setAside(inside.db, id, context.now());
          return webhook;
        },
        'update',
      ),
  }),
}));

/** Takes the first free slot. If a concurrent request takes it first, tries the next one. */
async function insertIntoSlot(
  db: Db,
  data: { url: string; description?: string | null; events: string[]; secret: Uint8Array<ArrayBuffer> },
): Promise<string | undefined> {
  for (let slot = 1; slot <= maxWebhooks; slot += 1) {
    const [made] = await db.webhook.createManyAndReturn({ data: { ...data, slot }, skipDuplicates: true });
    if (made) return made.id;
  }
  return undefined;
}

/** The columns that are written when a webhook is enabled. */
const enabling = { active: true, consecutiveFailures: 0, disabledAt: null };

/**
 * Sets aside the waiting deliveries of a webhook that is off: they are kept, but not sent. A ping is still sent. For an
 * attempt in progress, its result decides the state of the delivery.
 */
export async function setAside(db: Db, webhookId: string, now: Date): Promise<void> {
  await db.delivery.updateMany({
    where: { webhookId, state: 'WAITING', kind: { not: 'PING' }, attempts: { none: { durationMs: null } } },
    data: { state: 'SET_ASIDE', nextAttemptAt: null, finishedAt: now },
  });
}
