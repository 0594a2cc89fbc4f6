import type { ApiToken as ApiTokenRow, Prisma, UnscopedClient } from '../../prisma/client.ts';
import type { Principal } from '../../schema/graphql/context.ts';
import { ValidationError } from '../../schema/errors.ts';
import type { ApiToken, Identity } from '../../schema/graphql/identity.ts';
import { createInvitation, invitationLink, listInvitations, revokeInvitation } from './invitations.ts';
import { RefusedError } from './refused.ts';
import { endSessions, listSessions } from './sessions.ts';
import { createToken } from './tokens.ts';
import { listMembers, removeMember } from './users.ts';

/** All data here belongs to the caller or to the caller's tenant. Each statement names the user or the tenant. */
export function createIdentity(
  client: UnscopedClient,
  { user, tenant, session }: Principal,
  { now, publicUrl }: { now: () => Date; publicUrl: () => string },
): Identity {
  const userId = user.id;
  const tenantId = tenant.id;
  return {
    tenants: async () => {
      if (!session) return [tenant];
      const where: Prisma.TenantWhereInput = { closedAt: null, memberships: { some: { userId } } };
      return client.tenant.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }] });
    },

    apiTokens: () =>
      client.apiToken.findMany({ where: { userId, tenantId, revokedAt: null }, orderBy: { id: 'desc' }, ...shown }),
    createApiToken: async (input) => {
      const made = createToken(client, { tenantId, userEmail: user.email, ...input });
      const { token: value, ...apiToken } = await made.catch(asArgumentError('input'));
      return { apiToken, value };
    },
    revokeApiToken: async (id) => {
      await client.apiToken.updateMany({
        where: { id, userId, tenantId, revokedAt: null },
        data: { revokedAt: now() },
      });
      return client.apiToken.findFirst({ where: { id, userId, tenantId }, ...shown });
    },

    followApiToken: async (id, until) => {
      const { count } = await client.apiToken.updateMany({
        where: { id, userId, tenantId, revokedAt: null },
        data: { followedUntil: until },
      });
      return count > 0;
    },

    members: () => listMembers(client, tenantId),
    removeMember: (id) => removeMember(client, { tenantId, userId: id }).catch(asArgumentError('userId')),

    invitations: () => listInvitations(client, { tenantId, now: now() }),
    inviteMember: async (email) => {
      const made = createInvitation(client, { tenantId, email, inviterId: userId, now: now() });
      const { invitation, secret } = await made.catch(asArgumentError('email'));
      return { invitation, link: invitationLink(publicUrl(), secret) };
    },
    revokeInvitation: (id) => revokeInvitation(client, { tenantId, id }),

    sessions: () => listSessions(client, userId, now()),
    revokeSession: async (id) => {
      const ended = (await listSessions(client, userId, now())).find((each) => each.id === id);
      await endSessions(client, { userId, id });
      return ended ?? null;
    },
    revokeOtherSessions: () => endSessions(client, { userId, except: session?.id }),
  };
}

const shown = {
  select: {
    id: true,
    name: true,
    abilities: true,
    trustedDocuments: true,
    lastFour: true,
    createdAt: true,
    lastUsedAt: true,
    expiresAt: true,
  },
} satisfies Prisma.ApiTokenDefaultArgs & { select: Record<keyof ApiToken & keyof ApiTokenRow, true> };

/** Converts a RefusedError into a validation error of an argument. */
const asArgumentError =
  (path: string) =>
  (error: unknown): never => {
    throw error instanceof RefusedError ? new ValidationError({ [path]: [`${error.message}.`] }) : error;
  };
