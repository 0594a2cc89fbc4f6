import { z } from 'zod';
import type { ApiToken, Prisma, UnscopedClient } from '../../prisma/client.ts';
import { currentTime } from '../../prisma/clock.ts';
import { grantable } from '../../schema/graphql/ability.ts';
import { requiredText } from '../../schema/graphql/input/validators.ts';
import { active } from './accounts.ts';
import { checked, checkedId, quoted, RefusedError } from './refused.ts';
import { keepSession } from './sessions.ts';
import { openTenant } from './tenants.ts';
import { mintToken } from './token.ts';
import { checkedEmail, type UserSummary } from './users.ts';

/** The limit of a user's active tokens for one tenant. */
export const maxActiveTokens = 100;
const tooManyTokens = `A user can have ${maxActiveTokens} active tokens for a tenant: revoke one that is no longer in use`;

/** A token without its value, which is not stored. */
export interface TokenSummary extends Omit<ApiToken, 'hash' | 'userId'> {
  user: UserSummary;
}

const shown = {
  omit: { hash: true, userId: true },
  include: { user: { select: { id: true, name: true, email: true } } },
} satisfies Prisma.ApiTokenDefaultArgs;

/**
 * Makes a token. Without `userEmail`, it belongs to the tenant's only user. With `tenantId: null`, its requests are answered
 * with 403. By default it has all abilities, and never expires.
 *
 * @returns also its value, which can't be read again
 * @throws RefusedError
 */
export async function createToken(
  client: UnscopedClient,
  input: {
    tenantId: string | null;
    userEmail?: string;
    /** The session that makes it. */
    sessionId?: string;
    name?: string;
    abilities?: readonly string[];
    trustedDocuments?: boolean;
    requestsPerMinute?: number | null;
    expiresAt?: Date;
  },
): Promise<TokenSummary & { token: string }> {
  const { tenantId, trustedDocuments, requestsPerMinute, expiresAt } = input;
  const email = input.userEmail === undefined ? null : checkedEmail(input.userEmail);
  const name = checked('name', requiredText(255), input.name ?? 'API token');
  const abilities = [
    ...new Set((input.abilities ?? ['*']).map((ability) => checked('ability', grantableAbility, ability))),
  ];
  if (abilities.length === 0) throw new RefusedError('A token must have at least one ability');
  if (expiresAt && !(expiresAt > currentTime())) throw new RefusedError('The expiry must be a time in the future');

  return client.$transaction(async (db) => {
    const userId = tenantId === null ? await anyUser(db, email) : await member(db, tenantId, email);
    if (input.sessionId !== undefined) await keepSession(db, input.sessionId);
    const where = { userId, tenantId, ...active(currentTime()) };
    if ((await db.apiToken.count({ where })) >= maxActiveTokens)
      throw new RefusedError(tooManyTokens, (text) => ['limit_reached', text, { max: maxActiveTokens }]);
    const tenant = tenantId === null ? null : await db.tenant.findUnique({ where: { id: tenantId } });
    const { value, hash, lastFour } = mintToken(tenant?.test);
    const token = await db.apiToken.create({
      data: { tenantId, userId, name, abilities, trustedDocuments, requestsPerMinute, hash, lastFour, expiresAt },
      ...shown,
    });
    return { ...token, token: value };
  });
}

/**
 * Tokens, newest first: all, or those of one tenant.
 *
 * @throws RefusedError if the tenant is unknown
 */
export async function listTokens(
  client: UnscopedClient,
  { tenantId }: { tenantId?: string } = {},
): Promise<TokenSummary[]> {
  if (tenantId !== undefined) {
    const tenant = await client.tenant.findUnique({ where: { id: checkedId('tenant', tenantId) } });
    if (!tenant) throw new RefusedError(`Unknown tenant ${quoted(tenantId)}`);
  }
  return client.apiToken.findMany({ where: { tenantId }, orderBy: { id: 'desc' }, ...shown });
}

/**
 * Sets the requests that a token may make in any 60 seconds; null for as many as tokens may by default. The next request is held
 * to it, in every process.
 *
 * @throws RefusedError if the token is unknown
 */
export async function limitToken(client: UnscopedClient, id: string, requestsPerMinute: number | null): Promise<void> {
  checkedId('token', id);
  const { count } = await client.apiToken.updateMany({ where: { id }, data: { requestsPerMinute } });
  if (count === 0) throw new RefusedError(`Unknown token ${quoted(id)}`);
}

/**
 * Revokes a token; once this returns, no process accepts it. A token that was revoked before keeps its time of revocation.
 *
 * @throws RefusedError if it is unknown
 */
export async function revokeToken(client: UnscopedClient, id: string): Promise<void> {
  checkedId('token', id);
  const revoked = await client.apiToken.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: currentTime() },
  });
  if (revoked.count > 0) return;
  if (!(await client.apiToken.findUnique({ where: { id } }))) throw new RefusedError(`Unknown token ${quoted(id)}`);
}

/** Deletes tokens that were revoked, or expired, before this time. */
export async function deleteEndedTokens(client: UnscopedClient, before: Date): Promise<void> {
  await client.apiToken.deleteMany({ where: { OR: [{ revokedAt: { lt: before } }, { expiresAt: { lt: before } }] } });
}

const grantableAbility = z
  .string()
  .refine((ability) => grantable.includes(ability), `Must be one of ${grantable.join(', ')}.`);

async function anyUser(db: Prisma.TransactionClient, email: string | null): Promise<string> {
  if (email === null) throw new RefusedError('A token without a tenant needs a user: name one with --user');
  // Locked, so that a concurrent request for a token of the same user counts this one.
  const [user] = await db.$queryRaw<{ id: string }[]>`select id from users where email = ${email} for no key update`;
  if (!user) throw new RefusedError(`Unknown user ${quoted(email)}`);
  return user.id;
}

/**
 * The tenant's member with this address, or its only member. The row is locked until the transaction ends: the user stays a
 * member, and a concurrent request for a token of the same member counts this one.
 */
async function member(db: Prisma.TransactionClient, tenantId: string, email: string | null): Promise<string> {
  await openTenant(db, tenantId);
  const [user, another] = await db.$queryRaw<{ id: string }[]>`
    select u.id from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${tenantId}::uuid and (${email}::text is null or u.email = ${email})
    limit 2 for no key update of m`;
  if (another) throw new RefusedError('Several users: name one with --user');
  if (user) return user.id;
  throw new RefusedError(
    email === null ? 'The tenant has no users yet: create one first' : `User ${email} is not a member of this tenant`,
  );
}
