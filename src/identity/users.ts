import type { UnscopedClient, User } from '../../prisma/client.ts';
import { email as emailAddress, requiredText } from '../../schema/input.ts';
import { hashPassword } from './password.ts';
import { checked, checkedId, quoted, RefusedError } from './refused.ts';
import { openTenant } from './tenants.ts';

export type UserSummary = Pick<User, 'id' | 'name' | 'email'>;

/** E-mail addresses are told apart without regard to case, and kept in lower case. */
export const checkedEmail = (text: string): string => checked('e-mail', emailAddress, text).toLowerCase();

/**
 * A new user, as a member of a tenant if one is named; or a user there is already, as a member of one more tenant.
 * Without `name`, the name is what stands before the @; without `password`, the user can't sign in with one.
 *
 * @throws RefusedError
 */
export async function createUser(
  client: UnscopedClient,
  input: { email: string; name?: string; password?: string; tenantId?: string },
): Promise<UserSummary> {
  const { password, tenantId } = input;
  const email = checkedEmail(input.email);
  const name = checked('name', requiredText(255), input.name ?? email.slice(0, email.lastIndexOf('@')));
  const passwordHash = password === undefined ? null : await hashPassword(password);

  return client.$transaction(async (db) => {
    if (tenantId !== undefined) await openTenant(db, tenantId);
    // Insert first and ask afterwards: of two that do so at the same time, one finds what the other made.
    const inserted = await db.user.createMany({ data: { email, name, passwordHash }, skipDuplicates: true });
    if (inserted.count === 0) {
      if (tenantId === undefined) throw new RefusedError(`User ${email} exists already`);
      if (passwordHash !== null)
        throw new RefusedError(`User ${email} exists already: leave out the password, it stays what it is`);
    }
    const user = await db.user.findUniqueOrThrow({ where: { email }, select: { id: true, name: true, email: true } });
    if (tenantId !== undefined) {
      const joined = await db.membership.createMany({ data: { tenantId, userId: user.id }, skipDuplicates: true });
      if (joined.count === 0) throw new RefusedError(`User ${email} is a member of this tenant already`);
    }
    return user;
  });
}

/**
 * A user leaves a tenant: their tokens lose it, and are answered 403 from now on, even if they come back.
 *
 * @throws RefusedError when the user isn't a member of the tenant
 */
export async function removeUser(client: UnscopedClient, input: { email: string; tenantId: string }): Promise<void> {
  const email = input.email.trim().toLowerCase();
  const tenantId = checkedId('tenant', input.tenantId);
  await client.$transaction(async (db) => {
    const user = await db.user.findUnique({ where: { email }, select: { id: true } });
    if (!user) throw new RefusedError(`Unknown user ${quoted(email)}`);
    const membership = { tenantId, userId: user.id };
    const left = await db.membership.deleteMany({ where: membership });
    if (left.count === 0) throw new RefusedError(`User ${email} is not a member of this tenant`);
    await db.apiToken.updateMany({ where: membership, data: { tenantId: null } });
  });
}
