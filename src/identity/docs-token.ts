import type { UnscopedClient } from '../../prisma/client.ts';
import { createToken } from './tokens.ts';
import type { UserSummary } from './users.ts';

/** How long the token of a reader's samples is good for. */
const lifetimeMs = 24 * 60 * 60 * 1000;

export interface DocsToken {
  token: string;
  tenant: { id: string; name: string };
  expiresAt: Date;
}

/**
 * Makes a token for the samples of the documentation: of the newest test tenant that the user is a member of, and of no other.
 * @returns null where the user has no test tenant
 * @throws RefusedError where the user has as many tokens as there may be
 */
export async function createDocsToken(client: UnscopedClient, user: UserSummary, now: Date): Promise<DocsToken | null> {
  const tenant = await client.tenant.findFirst({
    where: { test: true, closedAt: null, memberships: { some: { userId: user.id } } },
    orderBy: { id: 'desc' },
    select: { id: true, name: true },
  });
  if (!tenant) return null;
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const { token } = await createToken(client, {
    tenantId: tenant.id,
    userEmail: user.email,
    name: 'Samples of the documentation',
    expiresAt,
  });
  return { token, tenant, expiresAt };
}
