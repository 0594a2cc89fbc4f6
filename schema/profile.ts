import { builder } from './builder.ts';
import type { Principal } from './context.ts';

const User = builder.objectRef<Principal['user']>('User').implement({
  description: 'A person. Belongs to any number of tenants.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    name: t.exposeString('name'),
    email: t.exposeString('email'),
  }),
});

const Tenant = builder.objectRef<Principal['tenant']>('Tenant').implement({
  description: 'A business whose books are kept here. All data belongs to one tenant.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    name: t.exposeString('name'),
    country: t.exposeString('country', { description: 'ISO 3166-1 alpha-2.' }),
    defaultCurrency: t.exposeString('defaultCurrency', { description: 'ISO 4217.' }),
    timezone: t.exposeString('timezone', { description: 'IANA time zone; decides what day "today" is.' }),
  }),
});

const ApiToken = builder.objectRef<NonNullable<Principal['token']>>('ApiToken').implement({
  description: "A personal access token: a user's key to one tenant.",
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    name: t.exposeString('name'),
    abilities: t.exposeStringList('abilities', { description: '`*`, `read`, `write`, or `<resource>:read|write`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
  }),
});

const Profile = builder.objectRef<Principal>('Profile').implement({
  description: 'Who is asking: the user, the tenant, and the token the request came with.',
  fields: (t) => ({
    user: t.expose('user', { type: User }),
    tenant: t.expose('tenant', { type: Tenant }),
    token: t.expose('token', { type: ApiToken, nullable: true, description: 'Null in a dashboard session.' }),
  }),
});

builder.queryField('me', (t) =>
  t.field({ type: Profile, resolve: (_root, _args, { user, tenant, token }) => ({ user, tenant, token }) }),
);
