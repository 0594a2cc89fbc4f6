import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Pool } from 'pg';
import type { UnscopedClient } from '../../prisma/client.ts';
import { postgresStore } from '../rate-limit.ts';
import { verifyPassword } from './password.ts';
import type { UserSummary } from './users.ts';

/** Whose attempts count together. An attempt counts before the password is looked at: a crowd doesn't slip through. */
const windowMs = 15 * 60 * 1000;
const perAccountAndAddress = 10;
/** 100 an hour (OWASP ASVS 4.0.3, 2.2.1); beyond one address's share, so that no single one can lock a user out. */
const perAccount = 25;
const perAddress = 50;

export type Attempt =
  | { kind: 'accepted'; user: UserSummary }
  /** A wrong password, or no such user: nobody is told which. */
  | { kind: 'rejected' }
  | { kind: 'throttled'; retryAfter: number };

/** Checks a password for whoever tries at this address, unless there were too many tries. Counts in PostgreSQL. */
export type TryPassword = (attempt: { email: string; password: string; address: string }) => Promise<Attempt>;

export function createTryPassword(client: UnscopedClient, pool: Pool): TryPassword {
  const store = postgresStore(pool, windowMs);
  return async ({ email, password, address }) => {
    const account = digest(email.trim().toLowerCase());
    const from = network(address);
    const counts: [identity: string, limit: number][] = [
      [`sign-in:${account}:${from}`, perAccountAndAddress],
      [`sign-in:${from}`, perAddress],
      [`sign-in:${account}`, perAccount],
    ];
    for (const [identity, limit] of counts) {
      const { earlier, nextFreeInMs } = await store.hit(identity, limit);
      if (earlier >= limit) return { kind: 'throttled', retryAfter: Math.max(1, Math.ceil(nextFreeInMs / 1000)) };
    }
    const user = await verifyPassword(client, email, password);
    if (!user) return { kind: 'rejected' };
    // Who knows the password isn't guessing. The address's count stays: it may be guessing at others' as well.
    const identities = counts.map(([identity]) => identity).filter((identity) => identity.includes(account));
    await client.rateLimit.deleteMany({ where: { identity: { in: identities } } });
    return { kind: 'accepted', user };
  };
}

/** An address that was never a user's is kept no longer than it must, and not in plain. */
const digest = (email: string): string => createHash('sha256').update(email).digest('base64url');

/** What one client can choose its address from: an IPv4 address, or an IPv6 network of 64 bits. */
export function network(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).map(hex).join(':');
}

const hex = (part: number): string => part.toString(16);
