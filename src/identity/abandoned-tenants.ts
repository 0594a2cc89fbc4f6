import type { Pool } from 'pg';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { deleteAbandonedTenant } from './tenant-deletion.ts';

// Tenants that a program made, and whose login nobody was told.

export interface Abandoned {
  /** The user's. */
  email: string;
  tenantIds: string[];
}

/**
 * Deletes such tenants, and their user. They stay if somebody has come to use them nevertheless, as an operator can let users and
 * programs in.
 */
export async function deleteAbandonedTenants(
  { client, pool }: { client: UnscopedClient; pool: Pool },
  storage: Pick<FileStorage, 'delete'>,
  { email, tenantIds }: Abandoned,
): Promise<void> {
  if (!(await deleteUser(client, { email, tenantIds }))) return;
  for (const id of tenantIds) await deleteAbandonedTenant(pool, storage, id);
}

/**
 * Deletes the user, with memberships and token, so that nobody can use the tenants from here on.
 * @returns false, and deletes nothing, where they aren't as they were made
 */
const deleteUser = (client: UnscopedClient, { email, tenantIds }: Abandoned): Promise<boolean> =>
  client.$transaction(async (db) => {
    // Locked, so that nobody becomes a member meanwhile.
    await db.$queryRaw`select from tenants where id = any (${tenantIds}::uuid[]) order by id for update`;
    const user = await db.user.findUnique({
      where: { email },
      include: { memberships: true, tokens: true, sessions: true },
    });
    const ofTenants = { tenantId: { in: tenantIds }, ...(user && { userId: { not: user.id } }) };
    const others =
      (await db.membership.count({ where: ofTenants })) +
      (await db.apiToken.count({ where: ofTenants })) +
      (await db.invitation.count({ where: { tenantId: ofTenants.tenantId } })) +
      (await db.tenant.count({ where: { testOf: ofTenants.tenantId } }));
    if (others > 0) return false;
    // Deleted before, or not made yet.
    if (!user || user.memberships.length === 0) return true;
    const isAsMade =
      user.memberships.every(({ tenantId }) => tenantIds.includes(tenantId)) &&
      user.sessions.length === 0 &&
      user.tokens.length <= 1;
    if (isAsMade) await db.user.delete({ where: { id: user.id } });
    return isAsMade;
  });
