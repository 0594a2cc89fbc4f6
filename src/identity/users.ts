import type { Prisma, UnscopedClient, User } from '../../prisma/client.ts';
import { email as emailAddress, requiredText } from '../../schema/input/validators.ts';
import { AccountExistsError, active, findAccount, revokeTokensOf, type Account } from './accounts.ts';
import { hashPassword } from './password.ts';
import { checked, checkedId, quoted, RefusedError } from './refused.ts';
import { endSessions } from './sessions.ts';
import { lockTenant, openTenant } from './tenants.ts';

export type UserSummary = Pick<User, 'id' | 'name' | 'email'>;

/** E-mail addresses are told apart without regard to case, and kept in lower case. */
export const checkedEmail = (text: string): string => checked('e-mail', emailAddress, text).toLowerCase();

const checkedName = (text: string): string => checked('name', requiredText(255), text);

/**
 * Makes a user, as a member of a tenant if one is named. Without `name`, the name is what stands before the @; without
 * `password`, the user can't sign in with one. The operator who asks for the account answers for its address.
 *
 * @throws AccountExistsError when there is an account of this address, which this leaves as it is
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
    // Insert first and ask afterwards: of two that do so at the same time, one finds what the other made.
    const data = { email, name, passwordHash, emailVerifiedAt: new Date() };
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
 * Makes a user who has an account a member of one more tenant, without asking them. Only the operator may: everybody
 * else invites.
 *
 * @throws RefusedError when there is no such account, or it is a member already
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
  new RefusedError(`User ${email} is a member of this tenant already`);

/** @throws RefusedError when the tenant has a member of this address */
export async function refuseMember(
  db: Prisma.TransactionClient,
  { tenantId, email }: { tenantId: string; email: string },
): Promise<void> {
  if (await db.membership.findFirst({ where: { tenantId, user: { email } } })) throw memberAlready(email);
}

/**
 * A new password for a user, who may have had none. Their sessions end; their API tokens too where `revokeTokens` says
 * so.
 *
 * @returns also how many tokens that ended, and how many still work
 * @throws RefusedError when the user is unknown, or the password won't do
 */
export async function setPassword(
  client: UnscopedClient,
  input: { email: string; password: string; revokeTokens?: boolean },
): Promise<{ email: string; revokedTokens: number; activeTokens: number }> {
  const email = input.email.trim().toLowerCase();
  const now = new Date();
  const passwordHash = await hashPassword(input.password);
  return client.$transaction(async (db) => {
    const user = await db.user.findUnique({ where: { email }, select: { id: true } });
    if (!user) throw new RefusedError(`Unknown user ${quoted(email)}`);
    await db.user.update({ where: { id: user.id }, data: { passwordHash } });
    await endSessions(db, { userId: user.id });
    const revokedTokens = input.revokeTokens ? await revokeTokensOf(db, user.id, now) : 0;
    const activeTokens = await db.apiToken.count({ where: { userId: user.id, ...active(now) } });
    return { email, revokedTokens, activeTokens };
  });
}

/**
 * A user leaves a tenant: their tokens lose it, and are answered 403 from now on, even if they come back. The
 * invitations they made end.
 *
 * @throws RefusedError when the user isn't a member of the tenant
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
 * The same, as a member of the tenant asks for it: the last one has to stay.
 *
 * @returns null when the user isn't a member of the tenant
 * @throws RefusedError when there is no other member
 */
export async function removeMember(
  client: UnscopedClient,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Member | null> {
  return client.$transaction(async (db) => {
    await openTenant(db, tenantId, 'no key update'); // one after the other: else of two, each could remove the other
    const members = await db.membership.findMany({ where: { tenantId }, ...memberShown });
    const member = members.find(({ user }) => user.id === userId);
    if (!member) return null;
    if (members.length === 1) throw new RefusedError('The last member has to stay: nobody could let others in');
    await leave(db, { tenantId, userId });
    return memberOf(member);
  });
}

/** A user, since when they belong to the tenant, and since when their address is proven. */
export interface Member {
  user: UserSummary;
  joinedAt: Date;
  emailVerifiedAt: Date | null;
}

const memberShown = {
  select: { createdAt: true, user: { select: { id: true, name: true, email: true, emailVerifiedAt: true } } },
} satisfies Prisma.MembershipDefaultArgs;

function memberOf({ user, createdAt }: Prisma.MembershipGetPayload<typeof memberShown>): Member {
  const { emailVerifiedAt, ...summary } = user;
  return { user: summary, joinedAt: createdAt, emailVerifiedAt };
}

/** The tenant's members, in the order they joined. */
export async function listMembers(client: UnscopedClient, tenantId: string): Promise<Member[]> {
  const orderBy = [{ createdAt: 'asc' }, { userId: 'asc' }] satisfies Prisma.MembershipOrderByWithRelationInput[];
  return (await client.membership.findMany({ where: { tenantId }, orderBy, ...memberShown })).map(memberOf);
}

async function leave(db: Prisma.TransactionClient, membership: { tenantId: string; userId: string }): Promise<boolean> {
  const left = await db.membership.deleteMany({ where: membership });
  await db.apiToken.updateMany({ where: membership, data: { tenantId: null } });
  return left.count > 0;
}
