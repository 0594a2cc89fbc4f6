import { grantable } from '../graphql/ability.ts';
import { builder } from '../graphql/builder.ts';
import { found, type Problems } from '../errors/errors.ts';
import type { Context } from '../graphql/context.ts';
import type { ApiToken as ApiTokenRow, RequestLimits } from '../graphql/identity.ts';
import { given, notNull, requiredText } from '../graphql/input/validators.ts';
import { idArgument } from '../graphql/input/id-argument.ts';

export const ApiToken = builder.objectRef<ApiTokenRow>('ApiToken').implement({
  example: { name: 'Accounting import', abilities: ['*'], expiresAt: null },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    abilities: t.exposeStringList('abilities'),
    trustedDocuments: t.exposeBoolean('trustedDocuments'),
    requestsPerMinute: t.exposeInt('requestsPerMinute', { nullable: true }),
    lastFour: t.exposeString('lastFour'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
  }),
});

const ApiTokenWithValue = builder.objectRef<{ apiToken: ApiTokenRow; value: string }>('ApiTokenWithValue').implement({
  description: 'A token and its value, which is shown only once.',
  fields: (t) => ({
    apiToken: t.expose('apiToken', { type: ApiToken, description: 'The new token.' }),
    value: t.exposeString('value', { description: 'Requests send it as `Authorization: Bearer VALUE`.' }),
  }),
});

const ownLimit = 'The requests that it may make in any 60 seconds.';

const CreateApiTokenInput = builder.inputType('CreateApiTokenInput', {
  description: 'A new API token.',
  fields: (t) => ({
    name: t.string({ required: true, validate: requiredText(255) }),
    abilities: t.stringList({
      description: `The token's abilities, by default all of them: ${grantable.join(', ')}.`,
      ...notNull,
    }),
    trustedDocuments: t.boolean({
      description: 'Whether its GraphQL requests may only name trusted documents. Default: false.',
      ...notNull,
    }),
    requestsPerMinute: t.int({ description: `${ownLimit} Default: as many as \`apiTokenLimits\` says.` }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it expires. Default: never.' }),
  }),
});

const UpdateApiTokenInput = builder.inputType('UpdateApiTokenInput', {
  description: 'Changes to an API token.',
  fields: (t) => ({
    requestsPerMinute: t.int({
      description: `${ownLimit} Null: as many as \`apiTokenLimits\` says. The next request is held to it.`,
    }),
  }),
});

const ApiTokenLimits = builder.objectRef<RequestLimits>('ApiTokenLimits').implement({
  description: 'How many requests tokens may make in any 60 seconds.',
  fields: (t) => ({
    requestsPerMinute: t.exposeInt('usual', {
      nullable: true,
      description: 'The limit of a token without one of its own. Null: no token is limited.',
    }),
    maxRequestsPerMinute: t.exposeInt('max', { description: 'The highest limit of its own that a token can have.' }),
  }),
});

/** Checks a token's own limit against the installation's highest. */
function checkLimit(requestsPerMinute: number | null | undefined, { identity }: Context, problems: Problems): void {
  const { max } = identity.requestLimits();
  if (requestsPerMinute == null || (requestsPerMinute >= 1 && requestsPerMinute <= max)) return;
  problems.add('input.requestsPerMinute', 'out_of_range', `Must be from 1 to ${max}.`, { min: 1, max });
}

const GrantableAbility = builder.objectRef<string>('Ability').implement({
  description: 'An ability that a token can be given.',
  fields: (t) => ({
    name: t.string({ description: '`invoices:read`, say.', resolve: (ability) => ability }),
    description: t.string({ description: 'What it allows, in words.', resolve: getDescription }),
  }),
});

/** `*` is "Everything", `time-entries:write` is "Change time entries". */
function getDescription(ability: string): string {
  if (ability === '*') return 'Everything';
  const [resource, action] = ability.includes(':') ? ability.split(':') : ['everything', ability];
  return `${action === 'read' ? 'Read' : 'Change'} ${resource?.replaceAll('-', ' ')}`;
}

builder.queryFields((t) => ({
  abilities: t.field({
    type: [GrantableAbility],
    description: 'All abilities that a token can be given: for everything, then by resource.',
    inSession: true,
    resolve: () => grantable,
  }),
  apiTokenLimits: t.field({
    type: ApiTokenLimits,
    description: 'How many requests tokens may make.',
    inSession: true,
    resolve: (_root, _args, { identity }) => identity.requestLimits(),
  }),
  apiTokens: t.field({
    type: [ApiToken],
    description: "The user's tokens for this tenant, newest first, without revoked ones.",
    inSession: true,
    resolve: (_root, _args, context) => context.identity.apiTokens(context),
  }),
}));

builder.mutationFields((t) => ({
  createApiToken: t.field({
    type: ApiTokenWithValue,
    description: 'Makes an API token of the user for this tenant. A user can have 100 active tokens per tenant.',
    inSession: true,
    args: { input: t.arg({ type: CreateApiTokenInput, required: true }) },
    rules: ({ input }, context, problems) => {
      if (input?.abilities?.length === 0)
        problems.add('input.abilities', 'required', 'Must name at least one ability, or *.');
      for (const [index, ability] of (input?.abilities ?? []).entries()) {
        if (ability && !grantable.includes(ability))
          problems.add(`input.abilities.${index}`, 'unknown_value', 'There is no such ability.');
      }
      if (input?.expiresAt && input.expiresAt <= context.now())
        problems.add('input.expiresAt', 'in_the_past', 'Must be in the future.');
      checkLimit(input?.requestsPerMinute, context, problems);
    },
    resolve: (_root, { input: { name, abilities, trustedDocuments, requestsPerMinute, expiresAt } }, context) =>
      context.identity.createApiToken(context, {
        name,
        abilities: given(abilities),
        trustedDocuments: given(trustedDocuments),
        requestsPerMinute: given(requestsPerMinute),
        expiresAt: given(expiresAt),
      }),
  }),

  updateApiToken: t.field({
    type: ApiToken,
    description: "Changes one of the user's tokens for this tenant.",
    inSession: true,
    args: { ...idArgument, input: t.arg({ type: UpdateApiTokenInput, required: true }) },
    rules: ({ input }, context, problems) => checkLimit(input?.requestsPerMinute, context, problems),
    resolve: (_root, { id, input: { requestsPerMinute } }, context) =>
      found(context.identity.updateApiToken(context, id, { requestsPerMinute })),
  }),

  revokeApiToken: t.field({
    type: ApiToken,
    description: "Ends one of the user's tokens for this tenant at once.",
    inSession: true,
    args: idArgument,
    resolve: (_root, { id }, context) => found(context.identity.revokeApiToken(context, id)),
  }),
}));
