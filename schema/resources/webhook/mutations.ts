import { WebhookWithSecret, Webhook, withSecret } from './type.ts';
import { maxWebhooks, mustReadWaiting, mustReadWanted, webhookRules, existing, lockWebhook } from './rules.ts';
import { enabling, setAside } from './transitions.ts';
import { text, notNull, given } from '../../graphql/input/validators.ts';
import { type InputFields, builder } from '../../graphql/builder.ts';
import { eventTypes } from '../../events/events.ts';
import { refuse } from '../../errors/errors.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { key } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { rotatedSecrets, formerSecrets } from './secrets.ts';
import { formatTime } from '../../graphql/scalars/scalars.ts';
import type { Db } from '../../../prisma/client.ts';

const url = text(2048).meta({ maxLength: 2048, format: 'uri' });

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

// changeRow() isn't for webhooks: they have no events, and an update is written even if it changes nothing.

builder.mutationFields((t) => ({
  createWebhook: t.prismaField({
    type: WebhookWithSecret,
    description: `Adds a webhook and makes its secret. A tenant has at most ${maxWebhooks}. Needs the abilities to read the resources of its events.`,
    ability: 'webhooks:write',
    args: { input: t.arg({ type: CreateWebhookInput, required: true }) },
    rules: ({ input }, context, problems) => {
      mustReadWanted(context, input?.events ?? ['*']);
      return webhookRules(input ?? {}, context, problems);
    },
    resolve: async (query, _root, { input }, context) => {
      const secret = context.webhooks.newSecret();
      const data = { ...input, events: input.events ?? ['*'], secret: context.webhooks.seal(secret) };
      const id = await insertIntoSlot(context.db, data);
      if (id === undefined)
        refuse('input', 'limit_reached', `A tenant has at most ${maxWebhooks} webhooks.`, { max: maxWebhooks });
      // A stored response is replayed only to the token that made the webhook.
      context.markPersonal();
      return withSecret(await findById(context, 'Webhook', id, query), secret);
    },
  }),

  updateWebhook: t.prismaField({
    type: Webhook,
    description:
      'Changes, pauses or resumes a webhook. Needs the abilities to read the resources of its events, of those before and those after the change; for another URL, also of the events whose deliveries wait.',
    ability: 'webhooks:write',
    args: { ...idArgument, input: t.arg({ type: UpdateWebhookInput, required: true }), ...expectedVersionArgument },
    rules: async ({ id, input }, context, problems) => {
      if (id) {
        const webhook = await existing(context, id);
        mustReadWanted(context, [...webhook.events, ...(input?.events ?? [])]);
      }
      await webhookRules(input ?? {}, context, problems);
    },
    resolve: (query, _root, { input, ...target }, context) =>
      context.transaction(async (inside) => {
        const { id } = target;
        const current = await lockWebhook(inside, target);
        const { url: to, active, events, description } = input;
        if (to && to !== current.url) await mustReadWaiting(inside, id);
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
      context.transaction(async (inside) => {
        const current = await lockWebhook(inside, { id });
        if (!current.active) await inside.db.webhook.update({ where: key(context, id), data: enabling });
        return findById(inside, 'Webhook', id, query);
      }),
  }),

  rotateWebhookSecret: t.prismaField({
    type: WebhookWithSecret,
    description:
      'Makes a new secret. The previous one stays valid for 24 hours. The Standard Webhooks header carries a signature for each valid secret, at most three. X-Service-Signature uses the oldest valid secret, or at once the new one. A third rotation within 24 hours is refused. Needs the abilities to read the resources of its events.',
    ability: 'webhooks:write',
    args: {
      ...idArgument,
      ...expectedVersionArgument,
      immediately: t.arg.boolean({
        description: 'Whether X-Service-Signature uses the new secret at once.',
      }),
    },
    resolve: (query, _root, { immediately, ...target }, context) =>
      context.transaction(async (inside) => {
        const { id } = target;
        const webhook = await lockWebhook(inside, target);
        const now = context.now();
        const secret = context.webhooks.newSecret();
        const data = rotatedSecrets(webhook, context.webhooks.seal(secret), { immediately: immediately === true, now });
        if (!data) {
          const [oldest] = formerSecrets(webhook, now);
          refuse(
            'id',
            'too_soon',
            `Was rotated twice within 24 hours. It can be again from ${formatTime(oldest?.until ?? now)}.`,
            { from: formatTime(oldest?.until ?? now) },
          );
        }
        await inside.db.webhook.update({ where: key(context, id), data });
        context.markPersonal();
        return withSecret(await findById(inside, 'Webhook', id, query), secret);
      }),
  }),

  deleteWebhook: t.prismaField({
    type: Webhook,
    description:
      'Deletes a webhook. Its waiting deliveries are set aside; of very many, some only when they are due. All its deliveries stay in the delivery log. Needs the abilities to read the resources of its events.',
    ability: 'webhooks:write',
    args: { ...idArgument, ...expectedVersionArgument },
    resolve: (query, _root, target, context) =>
      context.transaction(async (inside) => {
        const { id } = target;
        await lockWebhook(inside, target, 'update');
        const webhook = await findById(inside, 'Webhook', id, query);
        const data = { deletedAt: context.now(), slot: null, active: false };
        await inside.db.webhook.update({ where: key(context, id), data });
        await setAside(inside.db, id, context.now());
        return webhook;
      }),
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
