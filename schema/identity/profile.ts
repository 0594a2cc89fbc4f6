import { ApiToken } from './api-token.ts';
import { builder } from '../graphql/builder.ts';
import type { Principal } from '../graphql/context.ts';
import type { Tenant as TenantRow, User as UserRow } from '../graphql/identity.ts';

export const User = builder.objectRef<UserRow>('User').implement({
  example: { name: 'Ada Lovelace', email: 'ada@kontor.example' },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    email: t.exposeString('email'),
  }),
});

const Tenant = builder.objectRef<TenantRow>('Tenant').implement({
  example: { name: 'Kontor Studio', country: 'DE', defaultCurrency: 'EUR', timezone: 'Europe/Berlin', test: false },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    country: t.exposeString('country'),
    defaultCurrency: t.exposeString('defaultCurrency'),
    timezone: t.exposeString('timezone'),
    test: t.exposeBoolean('test'),
  }),
});

const Profile = builder.objectRef<Principal>('Profile').implement({
  description: 'The caller: the user, the tenant, and the token of the request.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user of the request.' }),
    tenant: t.expose('tenant', { type: Tenant, description: 'The tenant of the request.' }),
    tenants: t.field({
      type: [Tenant],
      description:
        "The tenants that a session of the user can use, ordered by name. With an API token, only the token's tenant.",
      resolve: (_profile, _args, context) => context.identity.tenants(context),
    }),
    token: t.expose('token', { type: ApiToken, nullable: true, description: 'The token; null in a session.' }),
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
