import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Pool } from 'pg';
import type { UnscopedClient } from '../../prisma/client.ts';
import { postgresStore } from '../rate-limit.ts';
import { revokeTokensOf } from './accounts.ts';
import { hashPassword, verifyPassword, type Verified } from './password.ts';
import { endSessions, startSession, type Started } from './sessions.ts';

/** An attempt counts before the password is looked at, so that no crowd slips through; a right one clears the count. */
const windowMs = 15 * 60 * 1000;
const perAccountAndAddress = 10;
/** 100 an hour (OWASP ASVS 4.0.3, 2.2.1); more than one address's share, so that no single one can lock a user out. */
const perAccount = 25;
const perAddress = 50;

/** Argon2id takes a core for a while: so much of it a link is worth. */
const perInvitation = 10;

/** Counts an attempt for `identity`. @returns null, or the seconds to wait where the limit is exceeded */
type CountAttempt = (identity: string, limit: number) => Promise<number | null>;

function createCountAttempt(pool: Pool): CountAttempt {
  const store = postgresStore(pool, windowMs);
  return async (identity, limit) => {
    const { earlier, nextFreeInMs } = await store.hit(identity, limit);
    return earlier < limit ? null : Math.max(1, Math.ceil(nextFreeInMs / 1000));
  };
}

/** Counts an attempt to make an account by an invitation. Answers null, or the seconds to wait after one too many. */
export type CountInvited = (invitationSecret: string) => Promise<number | null>;

export function createCountInvited(pool: Pool): CountInvited {
  const count = createCountAttempt(pool);
  return (secret) => count(`invitation:${digest(secret)}`, perInvitation);
}

type Attempt =
  | { kind: 'verified'; user: Verified }
  /** A wrong password or an unknown user: the caller can't tell which. */
  | { kind: 'rejected' }
  /** Seconds to wait, whether the password was right or not. */
  | { kind: 'throttled'; retryAfter: number };

/** Checks a password, unless there were too many attempts. Counts attempts in PostgreSQL. */
export type TryPassword = (attempt: { email: string; password: string; address: string }) => Promise<Attempt>;

export function createTryPassword(client: UnscopedClient, pool: Pool): TryPassword {
  const count = createCountAttempt(pool);
  return async ({ email, password, address }) => {
    const account = digest(email.trim().toLowerCase());
    const from = network(address);
    const ofAccount = [
      { identity: `sign-in:${account}:${from}`, limit: perAccountAndAddress },
      { identity: `sign-in:${account}`, limit: perAccount },
    ];
    for (const { identity, limit } of [{ identity: `sign-in:${from}`, limit: perAddress }, ...ofAccount]) {
      const retryAfter = await count(identity, limit);
      if (retryAfter !== null) return { kind: 'throttled', retryAfter };
    }
    const user = await verifyPassword(client, email, password);
    if (!user) return { kind: 'rejected' };
    // Who knows the password isn't guessing it. The address's count stays: it may be guessing at others' as well.
    await client.rateLimit.deleteMany({ where: { identity: { in: ofAccount.map(({ identity }) => identity) } } });
    return { kind: 'verified', user };
  };
}

/** What somebody typed is no more than counted. */
const digest = (email: string): string => createHash('sha256').update(email).digest('base64url');

/** What a client can't choose freely: an IPv4 address, or an IPv6 network of 64 bits. */
function network(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

interface Browser {
  userAgent: string | null;
  now: Date;
}

/** Opens a session after a successful password check; null if the password has been changed since. */
export async function openSession(client: UnscopedClient, user: Verified, browser: Browser): Promise<Started | null> {
  return client.$transaction(async (db) => {
    const same = await db.$executeRaw`
      select from users where id = ${user.id}::uuid and password_hash = ${user.passwordHash} for share`;
    return same === 0 ? null : startSession(db, { userId: user.id, ...browser });
  });
}

/**
 * A new password for who knew the old one, and a session in place of all there were; null if it has been changed since.
 *
 * @param revokeTokens whether the user's API tokens end too, those of every tenant
 * @returns also how many tokens that ended
 * @throws RefusedError when the new one won't do
 */
export async function changePassword(
  client: UnscopedClient,
  { id: userId, passwordHash }: Verified,
  { newPassword, revokeTokens }: { newPassword: string; revokeTokens: boolean },
  browser: Browser,
): Promise<(Started & { revokedTokens: number }) | null> {
  const newHash = await hashPassword(newPassword);
  return client.$transaction(async (db) => {
    const changed = await db.user.updateMany({ where: { id: userId, passwordHash }, data: { passwordHash: newHash } });
    if (changed.count === 0) return null;
    await endSessions(db, { userId });
    const revokedTokens = revokeTokens ? await revokeTokensOf(db, userId, browser.now) : 0;
    return { ...(await startSession(db, { userId, ...browser })), revokedTokens };
  });
}
