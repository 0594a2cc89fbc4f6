import { ApiToken } from './api-token.ts';
import { builder } from '../builder.ts';
import type { Principal } from '../context.ts';
import type { Tenant as TenantRow, User as UserRow } from './identity.ts';

export const User = builder.objectRef<UserRow>('User').implement({
  example: { name: 'Ada Lovelace', email: 'ada@kontor.example' },
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    name: t.exposeString('name'),
    email: t.exposeString('email'),
  }),
});

const Tenant = builder.objectRef<TenantRow>('Tenant').implement({
  example: { name: 'Kontor Studio', country: 'DE', defaultCurrency: 'EUR', timezone: 'Europe/Berlin' },
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    name: t.exposeString('name'),
    country: t.exposeString('country'),
    defaultCurrency: t.exposeString('defaultCurrency'),
    timezone: t.exposeString('timezone'),
  }),
});

const Profile = builder.objectRef<Principal>('Profile').implement({
  description: 'Who is asking: the user, the tenant, and the token the request came with.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'Who is asking.' }),
    tenant: t.expose('tenant', { type: Tenant, description: 'Whose books are asked for.' }),
    tenants: t.field({
      type: [Tenant],
      description: "The user's tenants, by name: those a session can turn to. With an API token, its own alone.",
      resolve: (_profile, _args, { identity }) => identity.tenants(),
    }),
    token: t.expose('token', { type: ApiToken, nullable: true, description: 'Null in a dashboard session.' }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: Profile,
    description: 'The user, the tenant and the token of this request.',
    resolve: (_root, _args, { user, tenant, token, markPersonal }) => {
      markPersonal();
      return { user, tenant, token };
    },
  }),
);
