import type { Prisma, UnscopedClient } from '../../prisma/client.ts';
import { CodedError, found, NotFoundError } from '../../schema/errors/errors.ts';
import { newSecret, secretHash } from './secret.ts';
import { RefusedError } from './refused.ts';
import { openTenant } from './tenants.ts';
import { checkedEmail, refuseMember, type UserSummary } from './users.ts';

const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** The limit of a tenant's open invitations. */
export const maxOpenInvitations = 100;
const tooMany = `A tenant can have ${maxOpenInvitations} open invitations: revoke one that is no longer needed`;

/** An invitation, without the secret part of its link, which is not stored. */
export interface InvitationSummary {
  id: string;
  email: string;
  createdAt: Date;
  expiresAt: Date;
  /** Null if it was made on the command line. */
  invitedBy: UserSummary | null;
}

const shown = {
  select: {
    id: true,
    email: true,
    createdAt: true,
    expiresAt: true,
    inviter: { select: { user: { select: { id: true, name: true, email: true } } } },
  },
} satisfies Prisma.InvitationDefaultArgs;

const summary = ({ inviter, ...rest }: Prisma.InvitationGetPayload<typeof shown>): InvitationSummary => ({
  ...rest,
  invitedBy: inviter?.user ?? null,
});

/**
 * Invites a person to a tenant. An earlier invitation of the same address ends.
 *
 * @returns also the secret part of the link, which can't be read again
 * @throws RefusedError if the address is a member's, or the tenant is unknown, closed, or has reached its limit
 */
export async function createInvitation(
  client: UnscopedClient,
  input: { tenantId: string; email: string; inviterId: string | null; now: Date },
): Promise<{ invitation: InvitationSummary; secret: string }> {
  const { tenantId, inviterId, now } = input;
  const email = checkedEmail(input.email);
  const { value: secret, hash } = newSecret();
  const data = { hash, inviterId, createdAt: now, expiresAt: new Date(now.getTime() + lifetimeMs) };
  const invitation = await client.$transaction(async (db) => {
    // Under a lock, also against acceptances: concurrent requests see each other's changes.
    await openTenant(db, tenantId, 'no key update');
    if (inviterId !== null && !(await db.membership.count({ where: { tenantId, userId: inviterId } })))
      throw new RefusedError('Only members invite others');
    await refuseMember(db, { tenantId, email });
    const others = { tenantId, email: { not: email }, expiresAt: { gt: now } };
    if ((await db.invitation.count({ where: others })) >= maxOpenInvitations)
      throw new RefusedError(tooMany, (text) => ['limit_reached', text, { max: maxOpenInvitations }]);
    const create = { tenantId, email, ...data };
    return db.invitation.upsert({ where: { tenantId_email: { tenantId, email } }, create, update: data, ...shown });
  });
  return { invitation: summary(invitation), secret };
}

/** The tenant's open invitations, newest first. */
export async function listInvitations(
  client: UnscopedClient,
  { tenantId, now }: { tenantId: string; now: Date },
): Promise<InvitationSummary[]> {
  const where = { tenantId, expiresAt: { gt: now } };
  const rows = await client.invitation.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], ...shown });
  return rows.map(summary);
}

/** Ends an invitation. @returns the invitation; null if the tenant has none with this id */
export async function revokeInvitation(
  client: UnscopedClient,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<InvitationSummary | null> {
  return client.$transaction(async (db) => {
    const row = await db.invitation.findFirst({ where: { id, tenantId }, ...shown });
    const ended = await db.invitation.deleteMany({ where: { id, tenantId } });
    return row && ended.count > 0 ? summary(row) : null;
  });
}

/** The link for accepting an invitation. */
export const invitationLink = (publicUrl: string, secret: string): string => `${publicUrl}/invitation/${secret}`;

/** The data of an invitation for a person with its link. It doesn't reveal whether the address has an account. */
export interface OpenInvitation {
  email: string;
  tenant: { id: string; name: string };
  invitedBy: string | null;
  expiresAt: Date;
}

const isOpen = (secret: string, now: Date) =>
  ({
    hash: secretHash(secret),
    expiresAt: { gt: now },
    tenant: { closedAt: null },
  }) satisfies Prisma.InvitationWhereInput;

/** The invitation with this secret; null if it was used or revoked, or has expired. */
export async function findInvitation(
  client: UnscopedClient,
  secret: string,
  now: Date,
): Promise<OpenInvitation | null> {
  const row = await client.invitation.findFirst({
    where: isOpen(secret, now),
    select: {
      email: true,
      expiresAt: true,
      tenant: { select: { id: true, name: true } },
      inviter: { select: { user: { select: { name: true } } } },
    },
  });
  if (!row) return null;
  const { inviter, ...rest } = row;
  return { ...rest, invitedBy: inviter?.user.name ?? null };
}

/**
 * Makes an account with the invited address, unless there is one. The new account has an unproven address and no
 * memberships. Nothing reveals whether there was an account: neither the answer, nor the invitation, which stays open, nor
 * the duration.
 *
 * @throws NotFoundError if the invitation has ended
 */
export async function createInvitedAccount(
  client: UnscopedClient,
  { secret, name, passwordHash, now }: { secret: string; name: string; passwordHash: string; now: Date },
): Promise<void> {
  await client.$transaction(async (db) => {
    // The update changes nothing. It locks the invitation, and makes the commit take equally long in both cases.
    const hash = secretHash(secret);
    const [invitation] = await db.invitation.updateManyAndReturn({ where: isOpen(secret, now), data: { hash } });
    if (!invitation) throw new NotFoundError();
    const { email, inviterId: invitedBy, tenantId: invitedTo } = invitation;
    const data = { email, name, passwordHash, createdAt: now, invitedBy, invitedTo };
    await db.user.createMany({ data, skipDuplicates: true });
  });
}

/**
 * Makes the user a member of the tenant, and ends the invitation. The caller must have authenticated the user's own session.
 *
 * @throws NotFoundError if the invitation has ended, or is for another address; it then stays as it is
 */
export async function acceptInvitation(
  client: UnscopedClient,
  { secret, userId, now }: { secret: string; userId: string; now: Date },
): Promise<void> {
  const where = isOpen(secret, now);
  await client.$transaction(async (db) => {
    const { tenantId, email } = await found(db.invitation.findFirst({ where }));
    await db.$executeRaw`select from tenants where id = ${tenantId}::uuid for share`; // against being closed meanwhile
    // Of two concurrent acceptances, one deletes the row and the other finds none to delete.
    const { count } = await db.invitation.deleteMany({ where });
    if (count === 0) throw new NotFoundError();
    await found(db.user.findUnique({ where: { id: userId, email }, select: { id: true } }));
    await db.membership.createMany({ data: { tenantId, userId }, skipDuplicates: true });
  });
}

/** The error for a request without a session of the address, and without a name and a password. */
export const signInAs = (email: string): CodedError =>
  new CodedError('FORBIDDEN', `Sign in as ${email} to accept, or send a name and a password for a new account.`);

/** Deletes expired invitations. */
export async function deleteExpiredInvitations(client: UnscopedClient, now: Date): Promise<void> {
  await client.invitation.deleteMany({ where: { expiresAt: { lte: now } } });
}
