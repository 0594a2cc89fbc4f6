import { builder, type InputFields } from './builder.ts';
import { key, type Context } from './context.ts';
import { found, refuse, type Problems } from './errors.ts';
import { events as occasions, eventTypes, type EventType } from './events.ts';
import { notNull, text } from './input.ts';
import { maxPage } from './page.ts';
import type { Webhook as WebhookRow } from '../prisma/generated/client/client.ts';
import type { Db } from '../prisma/client.ts';

/** At most this many per tenant. */
const slots = 10;
/** The failed delivery in a row that deactivates a webhook (contract, 6). */
export const failuresToDeactivate = 100;
/** How long the previous secret stays good after a rotation. */
const rotationMs = 24 * 60 * 60 * 1000;

export const Webhook = builder.prismaObject('Webhook', {
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    url: t.exposeString('url'),
    description: t.exposeString('description', { nullable: true }),
    events: t.exposeStringList('events'),
    active: t.exposeBoolean('active', {
      description: 'Whether events are sent; if not, they are recorded as set aside.',
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
    lastSuccessAt: t.expose('lastSuccessAt', { type: 'DateTime', nullable: true }),
    lastFailureAt: t.expose('lastFailureAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const WebhookWithSecret = builder.objectRef<{ id: string; secret: string }>('WebhookWithSecret').implement({
  description: 'A webhook and its secret, which is shown this once.',
  fields: (t) => ({
    webhook: t.prismaField({
      type: Webhook,
      description: 'As it is now.',
      resolve: (query, { id }, _args, context) =>
        found(context.db.webhook.findUnique({ ...query, where: key(context, id) })),
    }),
    secret: t.exposeString('secret', {
      description: '`whsec_…`: whole, the key of X-Service-Signature; its base64 decoded, that of Standard Webhooks.',
    }),
  }),
});

const EventKind = builder.objectRef<EventType>('EventType').implement({
  description: 'A kind of event that a webhook can ask for.',
  fields: (t) => ({
    name: t.string({ description: '`invoice.paid`, say.', resolve: (type) => type }),
    occasion: t.string({ description: 'When it happens, in words.', resolve: (type) => occasions[type] }),
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
  description: 'Only the fields present change.',
  fields: (t) => ({
    url: t.string({ validate: url, ...notNull }),
    active: t.boolean({ description: 'Pauses and resumes.', ...notNull }),
    ...optionalFields(t),
  }),
});

const known = new Set<string>(['*', ...eventTypes]);

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

builder.queryFields((t) => ({
  eventTypes: t.field({
    type: [EventKind],
    description: 'All kinds of events, by resource. `webhook.ping` is none: it comes to whoever asks for it.',
    ability: 'webhooks:read',
    resolve: () => eventTypes,
  }),
  webhook: t.prismaField({
    type: Webhook,
    description: 'One webhook.',
    ability: 'webhooks:read',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      found(context.db.webhook.findFirst({ ...query, where: { id, deletedAt: null } })),
  }),
  webhooks: t.prismaField({
    type: [Webhook],
    description: `All of them: a tenant has at most ${slots}.`,
    ability: 'webhooks:read',
    resolve: (query, _root, _args, context) =>
      context.db.webhook.findMany({ ...query, where: { deletedAt: null }, orderBy: { id: 'desc' }, take: maxPage }),
  }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: WebhookWithSecret,
    description: `Adds a webhook and makes its secret. A tenant has at most ${slots}.`,
    ability: 'webhooks:write',
    args: { input: t.arg({ type: CreateWebhookInput, required: true }) },
    rules: ({ input }, context, problems) => webhookRules(input ?? {}, context, problems),
    resolve: async (_root, { input }, context) => {
      const secret = context.webhooks.newSecret();
      const data = { ...input, events: input.events ?? ['*'], secret: context.webhooks.seal(secret) };
      const id = await insertIntoSlot(context.db, data);
      if (id === undefined) refuse('input', `A tenant has at most ${slots} webhooks.`);
      return { id, secret };
    },
  }),

  updateWebhook: t.prismaField({
    type: Webhook,
    description: 'Changes, pauses or resumes a webhook.',
    ability: 'webhooks:write',
    args: { id: t.arg({ type: 'UUID', required: true }), input: t.arg({ type: UpdateWebhookInput, required: true }) },
    rules: async ({ id, input }, context, problems) => {
      if (id) await existing(context, id);
      await webhookRules(input ?? {}, context, problems);
    },
    resolve: async (query, _root, { id, input }, context) => {
      const { url: to, active, events, description } = input;
      const data = { url: to ?? undefined, events: events ?? undefined, description };
      await context.db.webhook.update({ where: key(context, id), data });
      if (active === true) await enable(context.db, id);
      if (active === false) await context.db.webhook.update({ where: key(context, id), data: { active } });
      return found(context.db.webhook.findUnique({ ...query, where: key(context, id) }));
    },
  }),

  enableWebhook: t.prismaField({
    type: Webhook,
    description: 'Makes a deactivated or paused webhook active again. The count of failures starts at 0.',
    ability: 'webhooks:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: async (query, _root, { id }, context) => {
      await existing(context, id);
      await enable(context.db, id);
      return found(context.db.webhook.findUnique({ ...query, where: key(context, id) }));
    },
  }),

  rotateWebhookSecret: t.field({
    type: WebhookWithSecret,
    description:
      'Makes a new secret. For 24 hours the Standard Webhooks header carries signatures of both; X-Service-Signature changes over after that, or at once.',
    ability: 'webhooks:write',
    args: {
      id: t.arg({ type: 'UUID', required: true }),
      immediately: t.arg.boolean({ description: 'Whether X-Service-Signature changes over at once.' }),
    },
    resolve: async (_root, { id, immediately }, context) => {
      const { secret: previousSecret } = await existing(context, id);
      const secret = context.webhooks.newSecret();
      await context.db.webhook.update({
        where: key(context, id),
        data: {
          secret: context.webhooks.seal(secret),
          previousSecret,
          previousSecretUntil: new Date(context.now().getTime() + rotationMs),
          signsWithPrevious: immediately !== true,
        },
      });
      return { id, secret };
    },
  }),

  deleteWebhook: t.prismaField({
    type: Webhook,
    description: 'Deletes a webhook. What waits for it is set aside; its deliveries stay in the audit log.',
    ability: 'webhooks:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        await existing(inside, id);
        const webhook = await found(inside.db.webhook.findUnique({ ...query, where: key(context, id) }));
        const data = { deletedAt: context.now(), slot: null, active: false };
        await inside.db.webhook.update({ where: key(context, id), data });
        await setAside(inside.db, id, context.now());
        return webhook;
      }),
  }),
}));

/** Takes the first free slot. Of two at once that find the same one free, the second tries the next. */
async function insertIntoSlot(
  db: Db,
  data: { url: string; description?: string | null; events: string[]; secret: Uint8Array<ArrayBuffer> },
): Promise<string | undefined> {
  for (let slot = 1; slot <= slots; slot += 1) {
    const { count } = await db.webhook.createMany({ data: { ...data, slot }, skipDuplicates: true });
    if (count > 0) return (await db.webhook.findFirstOrThrow({ where: { slot } })).id;
  }
  return undefined;
}

async function enable(db: Db, id: string): Promise<void> {
  await db.webhook.updateMany({
    where: { id, active: false },
    data: { active: true, consecutiveFailures: 0, disabledAt: null },
  });
}

/** What waits for a webhook that is off is kept, but not sent; a ping is. */
export async function setAside(db: Db, webhookId: string, now: Date): Promise<void> {
  await db.delivery.updateMany({
    where: { webhookId, state: 'WAITING', kind: { not: 'PING' } },
    data: { state: 'SET_ASIDE', nextAttemptAt: null, finishedAt: now },
  });
}
