import type { Prisma, UnscopedClient } from '../../prisma/client.ts';
import { formatTime } from '../../schema/graphql/scalars/scalars.ts';
import { quoted, RefusedError } from './refused.ts';
import type { UserSummary } from './users.ts';

/** An account for the operator: when and by whom it was made, and whether its address is proven. */
export interface Account extends UserSummary {
  createdAt: Date;
  /** Null while the address is not proven to be the user's. */
  emailVerifiedAt: Date | null;
  /** The user whose invitation made the account; null if it was made on the command line. */
  invitedBy: UserSummary | null;
  /** The tenant of that invitation; null if no invitation made the account. */
  invitedTo: { id: string; name: string } | null;
}

/** An account with its tenants and tokens. */
export interface AccountDetails extends Account {
  /** The account's tenants, including closed ones, in the order in which it joined them. */
  tenants: { id: string; name: string; closedAt: Date | null }[];
  /** The number of active API tokens. */
  activeTokens: number;
}

/** The address has an account already. The message says when and by whom it was made. */
export class AccountExistsError extends RefusedError {
  override name = 'AccountExistsError';
  readonly account: Account;

  constructor(account: Account) {
    super(`User ${account.email} exists already, ${describeOrigin(account)}`);
    this.account = account;
  }
}

/** The account of this address, in upper or lower case; null if there is none. */
export async function findAccount(
  client: UnscopedClient | Prisma.TransactionClient,
  email: string,
): Promise<Account | null> {
  const user = await client.user.findUnique({
    where: { email: email.trim().toLowerCase() },
    omit: { passwordHash: true },
  });
  if (!user) return null;
  const { invitedBy, invitedTo, ...rest } = user;
  const inviter =
    invitedBy === null
      ? null
      : await client.user.findUnique({ where: { id: invitedBy }, select: { id: true, name: true, email: true } });
  const tenant =
    invitedTo === null
      ? null
      : await client.tenant.findUnique({ where: { id: invitedTo }, select: { id: true, name: true } });
  return { ...rest, invitedBy: inviter, invitedTo: tenant };
}

/**
 * The account of this address, with its tenants and the number of its tokens.
 *
 * @throws RefusedError if there is none
 */
export async function showAccount(client: UnscopedClient, email: string, now: Date): Promise<AccountDetails> {
  const account = await findAccount(client, email);
  if (!account) throw new RefusedError(`Unknown user ${quoted(email)}`);
  const memberships = await client.membership.findMany({
    where: { userId: account.id },
    orderBy: [{ createdAt: 'asc' }, { tenantId: 'asc' }],
    select: { tenant: { select: { id: true, name: true, closedAt: true } } },
  });
  const activeTokens = await client.apiToken.count({ where: { userId: account.id, ...active(now) } });
  return { ...account, tenants: memberships.map(({ tenant }) => tenant), activeTokens };
}

/** A token that is neither revoked nor expired. */
export const active = (now: Date): Prisma.ApiTokenWhereInput => ({
  revokedAt: null,
  OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
});

/** Revokes all of a user's tokens, for every tenant. @returns how many of them were active */
export async function revokeUserTokens(db: Prisma.TransactionClient, userId: string, now: Date): Promise<number> {
  const where = { userId, ...active(now) };
  return (await db.apiToken.updateMany({ where, data: { revokedAt: now } })).count;
}

/** Describes in one line when and by whom an account was made. */
export function describeOrigin({ createdAt, invitedBy, invitedTo }: Account): string {
  const since = `since ${formatTime(createdAt)}`;
  if (!invitedTo) return `${since}, made on the command line`;
  const by = invitedBy ? `of ${invitedBy.email}` : 'made on the command line';
  return `${since}, made by an invitation ${by} to ${invitedTo.name} (${invitedTo.id})`;
}

/** A warning for the operator about an account with an unproven address; undefined where it is proven. */
export const findWarning = ({ email, emailVerifiedAt }: Account): string | undefined =>
  emailVerifiedAt
    ? undefined
    : `Nobody has proven that the address is theirs: ask ${email} whether they know this account. ` +
      `If not, this takes it from whoever has it: user password --email ${email} --password-stdin --revoke-tokens`;
