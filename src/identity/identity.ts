import type { UnscopedClient } from '../../prisma/client.ts';
import type { Identity, Principal } from '../../schema/context.ts';

/** What the domain may ask of identity in a principal's name: their own things, and their tenant's. */
export function createIdentity(client: UnscopedClient, { user, tenant, session }: Principal): Identity {
  return {
    tenants: async () => {
      if (!session) return [tenant];
      return client.tenant.findMany({
        where: { closedAt: null, memberships: { some: { userId: user.id } } },
        orderBy: [{ name: 'asc' }, { id: 'asc' }],
      });
    },
  };
}
