import type { Prisma, UnscopedClient, User } from '../../prisma/client.ts';
import { currentTime } from '../../prisma/clock.ts';
import { email as emailAddress, requiredText } from '../../schema/graphql/input/validators.ts';
import { AccountExistsError, active, findAccount, revokeUserTokens, type Account } from './accounts.ts';
import { hashPassword } from './password.ts';
import { checked, checkedId, quoted, RefusedError } from './refused.ts';
import { endSessions } from './sessions.ts';
import { lockTenant, openTenant } from './tenants.ts';

export type UserSummary = Pick<User, 'id' | 'name' | 'email'>;

/** E-mail addresses are compared regardless of case, and stored in lower case. */
export const checkedEmail = (text: string): string => checked('e-mail', emailAddress, text).toLowerCase();

const checkedName = (text: string): string => checked('name', requiredText(255), text);

/**
 * Makes a user, as a member of a tenant if one is named. Without `name`, the name is the part before the @. Without
 * `password`, the user can't sign in by password. The address counts as proven, because the operator vouches for it.
 *
 * @throws AccountExistsError if the address has an account, which stays as it is
 * @throws RefusedError
 */
export async function createUser(
  client: UnscopedClient,
  input: { email: string; name?: string; password?: string; tenantId?: string },
): Promise<UserSummary> {
  const { password, tenantId } = input;
  const email = checkedEmail(input.email);
  const name = checkedName(input.name ?? email.slice(0, email.lastIndexOf('@')));
  const passwordHash = password === undefined ? null : await hashPassword(password);

  return client.$transaction(async (db) => {
    if (tenantId !== undefined) await openTenant(db, tenantId);
    // Inserts first and reads afterwards: of two concurrent calls, one finds the account that the other made.
    const data = { email, name, passwordHash, emailVerifiedAt: currentTime() };
    const inserted = await db.user.createMany({ data, skipDuplicates: true });
    if (inserted.count === 0) {
      if (tenantId !== undefined) await refuseMember(db, { tenantId, email });
      const account = await findAccount(db, email);
      if (account) throw new AccountExistsError(account);
    }
    const user = await db.user.findUniqueOrThrow({ where: { email }, select: { id: true, name: true, email: true } });
    if (tenantId !== undefined) await db.membership.create({ data: { tenantId, userId: user.id } });
    return user;
  });
}

/**
 * Makes a user with an account a member of another tenant, without an invitation. Only the operator can do this.
 *
 * @throws RefusedError if there is no such account, or it is a member already
 */
export async function addExistingUser(
  client: UnscopedClient,
  input: { email: string; tenantId: string },
): Promise<Account> {
  const email = checkedEmail(input.email);
  const { tenantId } = input;
  return client.$transaction(async (db) => {
    await openTenant(db, tenantId);
    const account = await findAccount(db, email);
    if (!account) throw new RefusedError(`Unknown user ${quoted(email)}`);
    const joined = await db.membership.createMany({ data: { tenantId, userId: account.id }, skipDuplicates: true });
    if (joined.count === 0) throw memberAlready(email);
    return account;
  });
}

const memberAlready = (email: string): RefusedError =>
  new RefusedError(`User ${email} is a member of this tenant already`, (text) => ['taken', text]);

/** @throws RefusedError if the tenant has a member with this address */
export async function refuseMember(
  db: Prisma.TransactionClient,
  { tenantId, email }: { tenantId: string; email: string },
): Promise<void> {
  if (await db.membership.findFirst({ where: { tenantId, user: { email } } })) throw memberAlready(email);
}

/**
 * Sets the password of a user, who may have had none. Ends the user's sessions, and with `revokeTokens` the API tokens.
 *
 * @returns also how many tokens ended, and how many are still active
 * @throws RefusedError if the user is unknown, or the password is refused
 */
export async function setPassword(
  client: UnscopedClient,
  input: { email: string; password: string; revokeTokens?: boolean },
): Promise<{ email: string; revokedTokens: number; activeTokens: number }> {
  const email = input.email.trim().toLowerCase();
  const now = currentTime();
  const passwordHash = await hashPassword(input.password);
  return client.$transaction(async (db) => {
    const user = await db.user.findUnique({ where: { email }, select: { id: true } });
    if (!user) throw new RefusedError(`Unknown user ${quoted(email)}`);
    await db.user.update({ where: { id: user.id }, data: { passwordHash } });
    await endSessions(db, { userId: user.id });
    const revokedTokens = input.revokeTokens ? await revokeUserTokens(db, user.id, now) : 0;
    const activeTokens = await db.apiToken.count({ where: { userId: user.id, ...active(now) } });
    return { email, revokedTokens, activeTokens };
  });
}

/**
 * Removes a user from a tenant. The user's tokens lose the tenant, and are answered with 403, even if the user joins again.
 * The invitations that the user made end.
 *
 * @throws RefusedError if the user isn't a member of the tenant
 */
export async function removeUser(client: UnscopedClient, input: { email: string; tenantId: string }): Promise<void> {
  const email = input.email.trim().toLowerCase();
  const tenantId = checkedId('tenant', input.tenantId);
  await client.$transaction(async (db) => {
    await lockTenant(db, tenantId, 'no key update'); // this member may be inviting somebody
    const user = await db.user.findUnique({ where: { email }, select: { id: true } });
    if (!user) throw new RefusedError(`Unknown user ${quoted(email)}`);
    if (!(await leave(db, { tenantId, userId: user.id })))
      throw new RefusedError(`User ${email} is not a member of this tenant`);
  });
}

/**
 * Removes a user on behalf of a member of the tenant. The last member can't be removed.
 *
 * @param by the member who does it
 * @returns null if the user isn't a member of the tenant
 * @throws RefusedError if there is no other member, or `by` was removed meanwhile
 */
export async function removeMember(
  client: UnscopedClient,
  { tenantId, userId, by }: { tenantId: string; userId: string; by: string },
): Promise<Member | null> {
  return client.$transaction(async (db) => {
    await openTenant(db, tenantId, 'no key update'); // serialized: otherwise two members could remove each other
    const members = await db.membership.findMany({ where: { tenantId }, ...memberShown });
    const member = members.find(({ user }) => user.id === userId);
    if (!member) return null;
    if (members.every(({ user }) => user.id !== by)) throw new RefusedError('Only members remove others');
    if (members.length === 1) throw new RefusedError('The last member has to stay: nobody could let others in');
    await leave(db, { tenantId, userId });
    return buildMember(member);
  });
}

/** A user with the times of joining the tenant and of proving the address. */
export interface Member {
  user: UserSummary;
  joinedAt: Date;
  emailVerifiedAt: Date | null;
}

const memberShown = {
  select: { createdAt: true, user: { select: { id: true, name: true, email: true, emailVerifiedAt: true } } },
} satisfies Prisma.MembershipDefaultArgs;

function buildMember({ user, createdAt }: Prisma.MembershipGetPayload<typeof memberShown>): Member {
  const { emailVerifiedAt, ...summary } = user;
  return { user: summary, joinedAt: createdAt, emailVerifiedAt };
}

/** The tenant's members, in the order in which they joined. */
export async function listMembers(client: UnscopedClient, tenantId: string): Promise<Member[]> {
  const orderBy = [{ createdAt: 'asc' }, { userId: 'asc' }] satisfies Prisma.MembershipOrderByWithRelationInput[];
  return (await client.membership.findMany({ where: { tenantId }, orderBy, ...memberShown })).map(buildMember);
}

/** Takes a user out of a tenant, and out of its test tenants. */
async function leave(db: Prisma.TransactionClient, membership: { tenantId: string; userId: string }): Promise<boolean> {
  const left = await db.membership.deleteMany({ where: membership });
  await db.apiToken.updateMany({ where: membership, data: { tenantId: null } });
  for (const { id } of await db.tenant.findMany({ where: { testOf: membership.tenantId }, select: { id: true } }))
    await leave(db, { ...membership, tenantId: id });
  return left.count > 0;
}
