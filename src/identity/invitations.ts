import type { Prisma, UnscopedClient } from '../../prisma/client.ts';
import { CodedError, found, NotFoundError } from '../../schema/errors.ts';
import { newSecret, secretHash } from './secret.ts';
import { RefusedError } from './refused.ts';
import { openTenant } from './tenants.ts';
import { checkedEmail, type UserSummary } from './users.ts';

const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** What may be shown of an invitation. The secret part of its link is not kept. */
export interface InvitationSummary {
  id: string;
  email: string;
  createdAt: Date;
  expiresAt: Date;
  /** Null when it was made on the command line. */
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
 * Asks a person to join a tenant. An earlier invitation to the same address ends.
 *
 * @returns also the secret part of its link, which can't be had again
 * @throws RefusedError when the address is a member's, or the tenant is unknown or closed
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
    await openTenant(db, tenantId);
    if (inviterId !== null && !(await db.membership.count({ where: { tenantId, userId: inviterId } })))
      throw new RefusedError('Only members invite others');
    if (await db.membership.findFirst({ where: { tenantId, user: { email } } }))
      throw new RefusedError(`User ${email} is a member of this tenant already`);
    const create = { tenantId, email, ...data };
    return db.invitation.upsert({ where: { tenantId_email: { tenantId, email } }, create, update: data, ...shown });
  });
  return { invitation: summary(invitation), secret };
}

/** The tenant's invitations that can still be accepted, newest first. */
export async function listInvitations(
  client: UnscopedClient,
  { tenantId, now }: { tenantId: string; now: Date },
): Promise<InvitationSummary[]> {
  const where = { tenantId, expiresAt: { gt: now } };
  const rows = await client.invitation.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], ...shown });
  return rows.map(summary);
}

/** Ends an invitation; answers it as it was, or null when the tenant has none of this id. */
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

/** Where a person accepts an invitation. */
export const invitationLink = (publicUrl: string, secret: string): string => `${publicUrl}/invitation/${secret}`;

/** What its bearer may know of an invitation. */
export interface OpenInvitation {
  email: string;
  tenant: { id: string; name: string };
  invitedBy: string | null;
  expiresAt: Date;
  /** The user who already has this address, and must be signed in to accept; null where a new one will be made. */
  userId: string | null;
}

/** The invitation whose link this is the secret part of; null if it has been used or revoked, or has expired. */
export async function findInvitation(
  client: UnscopedClient,
  secret: string,
  now: Date,
): Promise<OpenInvitation | null> {
  const row = await client.invitation.findFirst({
    where: { hash: secretHash(secret), expiresAt: { gt: now }, tenant: { closedAt: null } },
    select: { email: true, expiresAt: true, tenant: true, inviter: { select: { user: true } } },
  });
  if (!row) return null;
  const user = await client.user.findUnique({ where: { email: row.email }, select: { id: true } });
  const { email, expiresAt, tenant, inviter } = row;
  return {
    email,
    tenant: { id: tenant.id, name: tenant.name },
    invitedBy: inviter?.user.name ?? null,
    expiresAt,
    userId: user?.id ?? null,
  };
}

/**
 * Joins a user to the tenant, once: a new one, or the one there is, whom the caller has made sure to be the one who
 * accepts. Refused, the invitation stays as it was.
 *
 * @throws NotFoundError when it has ended
 * @throws CodedError FORBIDDEN when there is a user of that address by now
 */
export async function acceptInvitation(
  client: UnscopedClient,
  { secret, as, now }: { secret: string; as: { userId: string } | { name: string; passwordHash: string }; now: Date },
): Promise<UserSummary> {
  const where = { hash: secretHash(secret), expiresAt: { gt: now }, tenant: { closedAt: null } };
  const select = { id: true, name: true, email: true } as const;
  return client.$transaction(async (db) => {
    const { tenantId, email } = await found(db.invitation.findFirst({ where }));
    await db.$executeRaw`select from tenants where id = ${tenantId}::uuid for share`; // against being closed meanwhile
    // Of two who accept at the same time, one deletes it and the other finds nothing to delete.
    const { count } = await db.invitation.deleteMany({ where });
    if (count === 0) throw new NotFoundError();
    if ('passwordHash' in as) {
      const made = await db.user.createMany({ data: { email, ...as }, skipDuplicates: true });
      if (made.count === 0) throw signInAs(email);
    }
    const user = await found(
      db.user.findUnique({ where: 'userId' in as ? { id: as.userId, email } : { email }, select }),
    );
    await db.membership.createMany({ data: { tenantId, userId: user.id }, skipDuplicates: true });
    return user;
  });
}

export const signInAs = (email: string): CodedError => new CodedError('FORBIDDEN', `Sign in as ${email} to accept.`);

/** Deletes what has expired. */
export async function forgetInvitations(client: UnscopedClient, now: Date): Promise<void> {
  await client.invitation.deleteMany({ where: { expiresAt: { lte: now } } });
}
