import { forTenant, tenantModels, type Books, type UnscopedClient } from '../../prisma/client.ts';
import { tables } from '../../prisma/tables.ts';
import { quoted, RefusedError } from './refused.ts';

// Export of the data that is stored about a user, and its erasure. The books refer to users by id. Without the account,
// nobody knows whose id it is. So the id stays in the records that the law requires, above all in the audit log, whose
// chain proves that nothing was changed.

/** The tables of the books that refer to users. */
const referring = [...tables.values()]
  .filter(({ model, fields }) => tenantModels.has(model) && fields.has('userId'))
  .map(({ table }) => table);

/** How many rows of a tenant's books have the user's id, by their table. */
type References = { tenantId: string; rows: Record<string, number> };

async function findUser(client: UnscopedClient, address: string) {
  const email = address.trim().toLowerCase();
  const user = await client.user.findUnique({ where: { email } });
  if (!user) throw new RefusedError(`Unknown user ${quoted(address)}`);
  return user;
}

/**
 * All that is stored about a user: the account, what gives access, and where the books have its id.
 *
 * @throws RefusedError if there is none
 */
export async function exportUser({ client, books }: { client: UnscopedClient; books: Books }, address: string) {
  const { passwordHash, ...account } = await findUser(client, address);
  const where = { userId: account.id };
  return {
    account: { ...account, hasPassword: passwordHash !== null },
    memberships: await client.membership.findMany({
      where,
      select: { tenantId: true, createdAt: true, tenant: { select: { name: true } } },
      orderBy: { createdAt: 'asc' },
    }),
    sessions: await client.session.findMany({ where, omit: { hash: true, userId: true }, orderBy: { id: 'asc' } }),
    tokens: await client.apiToken.findMany({ where, omit: { hash: true, userId: true }, orderBy: { id: 'asc' } }),
    invitations: await client.invitation.findMany({
      where: { OR: [{ email: account.email }, { inviterId: account.id }] },
      omit: { hash: true },
      orderBy: { id: 'asc' },
    }),
    invitedAccounts: (
      await client.user.findMany({ where: { invitedBy: account.id }, select: { id: true }, orderBy: { id: 'asc' } })
    ).map(({ id }) => id),
    references: await findReferences({ client, books }, account.id),
  };
}

/**
 * Erases a user: the account with its memberships, sessions, and tokens, and invitations to the address. The id stays.
 *
 * @returns where it stays, and which open tenants have no member any more
 * @throws RefusedError if there is none
 */
export async function eraseUser(
  { client, books }: { client: UnscopedClient; books: Books },
  address: string,
): Promise<{ id: string; references: References[]; withoutMembers: string[] }> {
  const { id, email } = await findUser(client, address);
  const members = await client.membership.findMany({ where: { userId: id }, select: { tenantId: true } });
  const tenantIds = members.map(({ tenantId }) => tenantId);
  await client.$transaction(async (db) => {
    // As whoever changes members and invitations does, so that they see each other.
    await db.$queryRaw`select from tenants where id = any(${tenantIds}::uuid[]) order by id for no key update`;
    await db.invitation.deleteMany({ where: { email } });
    await db.membership.deleteMany({ where: { userId: id } });
    await db.user.delete({ where: { id } });
  });
  const withoutMembers = await client.tenant.findMany({
    where: { id: { in: tenantIds }, closedAt: null, memberships: { none: {} } },
    select: { id: true },
  });
  return {
    id,
    references: await findReferences({ client, books }, id),
    withoutMembers: withoutMembers.map((tenant) => tenant.id),
  };
}

/** Of all tenants, also of those that the user has left. */
async function findReferences(
  { client, books }: { client: UnscopedClient; books: Books },
  userId: string,
): Promise<References[]> {
  const counts = referring.map(
    (name) => `select '${name}' as name, count(*)::int as rows from ${name} where tenant_id = $1 and user_id = $2`,
  );
  const found: References[] = [];
  for (const { id: tenantId } of await client.tenant.findMany({ select: { id: true }, orderBy: { id: 'asc' } })) {
    const rows = await forTenant(books, tenantId).$rows<{ name: string; rows: number }>(
      `select name, rows from (${counts.join(' union all ')}) as counted where rows > 0 order by name`,
      [userId],
    );
    if (rows.length > 0)
      found.push({ tenantId, rows: Object.fromEntries(rows.map(({ name, rows: count }) => [name, count])) });
  }
  return found;
}
