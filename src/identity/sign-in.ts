import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { UnscopedClient } from '../../prisma/client.ts';
import { postgresStore } from '../security/rate-limit.ts';
import { revokeUserTokens } from './accounts.ts';
import { findNetwork } from './network.ts';
import { hashPassword, refuseIfCrowded, verifyPassword, type Verified } from './password.ts';
import { endSessions, startSession, type Started } from './sessions.ts';

/** Attempts are counted before the password is checked, also concurrent ones. A successful one clears the count. */
const windowMs = 15 * 60 * 1000;
const perAccountAndAddress = 10;
/** 100 an hour (OWASP ASVS 4.0.3, 2.2.1). More than the limit per address, so that one address can't lock a user out. */
const perAccount = 25;
const perAddress = 50;

/** Argon2id uses a core for a while, so each invitation has a limit. */
const perInvitation = 10;

/** Counts an attempt for `identity`. @returns null; the seconds to wait if the limit is exceeded */
type CountAttempt = (identity: string, limit: number) => Promise<number | null>;

function createCountAttempt(pool: Pool): CountAttempt {
  const store = postgresStore(pool, windowMs);
  return async (identity, limit) => {
    const { earlier, nextFreeInMs } = await store.hit(identity, limit);
    return earlier < limit ? null : Math.max(1, Math.ceil(nextFreeInMs / 1000));
  };
}

/** Counts an attempt to make an account by an invitation. @returns null; the seconds to wait if the limit is exceeded */
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

/**
 * Checks a password, unless the limit of attempts is exceeded. Counts attempts in PostgreSQL.
 * @throws TryLaterError
 */
export type TryPassword = (attempt: { email: string; password: string; address: string }) => Promise<Attempt>;

export function createTryPassword(client: UnscopedClient, pool: Pool): TryPassword {
  const count = createCountAttempt(pool);
  return async ({ email, password, address }) => {
    const from = findNetwork(address);
    refuseIfCrowded(address); // an attempt that isn't made doesn't count
    const account = digest(email.trim().toLowerCase());
    const ofAccount = [
      { identity: `sign-in:${account}:${from}`, limit: perAccountAndAddress },
      { identity: `sign-in:${account}`, limit: perAccount },
    ];
    for (const { identity, limit } of [{ identity: `sign-in:${from}`, limit: perAddress }, ...ofAccount]) {
      const retryAfter = await count(identity, limit);
      if (retryAfter !== null) return { kind: 'throttled', retryAfter };
    }
    const user = await verifyPassword(client, email, password, address);
    if (!user) return { kind: 'rejected' };
    // The right password clears the user's count. The client address keeps its count: it may be guessing other passwords.
    await client.rateLimit.deleteMany({ where: { identity: { in: ofAccount.map(({ identity }) => identity) } } });
    return { kind: 'verified', user };
  };
}

/** Hashes the e-mail address that was typed: it is only counted, and may be anything. */
const digest = (email: string): string => createHash('sha256').update(email).digest('base64url');

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
 * Changes the password of a user whose old one was checked, and replaces all sessions by a new one. Null if the password has
 * been changed since the check.
 *
 * @param address the client's address
 * @param revokeTokens whether the user's API tokens for all tenants end too
 * @returns also how many tokens ended
 * @throws RefusedError if the new password is refused
 */
export async function changePassword(
  client: UnscopedClient,
  { id: userId, passwordHash }: Verified,
  { newPassword, revokeTokens, address }: { newPassword: string; revokeTokens: boolean; address: string },
  browser: Browser,
): Promise<(Started & { revokedTokens: number }) | null> {
  const newHash = await hashPassword(newPassword, address);
  return client.$transaction(async (db) => {
    const changed = await db.user.updateMany({ where: { id: userId, passwordHash }, data: { passwordHash: newHash } });
    if (changed.count === 0) return null;
    await endSessions(db, { userId });
    const revokedTokens = revokeTokens ? await revokeUserTokens(db, userId, browser.now) : 0;
    return { ...(await startSession(db, { userId, ...browser })), revokedTokens };
  });
}
