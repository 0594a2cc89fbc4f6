import type { Holder, Prisma, UnscopedClient } from '../../prisma/client.ts';
import { CodedError } from '../../schema/errors/errors.ts';
import type { Principal } from '../../schema/graphql/context.ts';
import { isUuid } from '../../schema/graphql/scalars/scalars.ts';
import { newSecret, secretHash } from './secret.ts';
import type { UserSummary } from './users.ts';

// Sessions are implemented here, and not by better-auth. That library stores a session's token in plain text, counts sign-in
// attempts by reading first and writing later, and needs passwords in a table of its own.

/** The lifetime of a session, and its idle timeout (OWASP ASVS 4.0.3, 3.3.2, level 2). */
export const lifetimeMs = 12 * 60 * 60 * 1000;
const idleMs = 30 * 60 * 1000;

/** A session, for its user. */
export interface SessionSummary {
  id: string;
  userAgent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
}

export interface Started {
  /** For the cookie; it can't be read again. */
  token: string;
  session: SessionSummary;
}

const shown = { id: true, userAgent: true, createdAt: true, lastSeenAt: true } as const;
const longestUserAgent = 255;

/** Creates a session with a new token; a token that the browser sent is not reused. */
export async function startSession(
  client: Pick<UnscopedClient, 'session'>,
  { userId, userAgent, now }: { userId: string; userAgent: string | null; now: Date },
): Promise<Started> {
  const { value: token, hash } = newSecret();
  const named = userAgent?.toWellFormed().slice(0, longestUserAgent) || null;
  const data = { userId, hash, userAgent: named, createdAt: now, lastSeenAt: now };
  return { token, session: await client.session.create({ data, select: shown }) };
}

const alive = (now: Date) => ({
  createdAt: { gt: new Date(now.getTime() - lifetimeMs) },
  lastSeenAt: { gt: new Date(now.getTime() - idleMs) },
});

/** The session with this token and its user, unless it has ended. This doesn't prolong the session. */
export async function findSession(
  client: UnscopedClient,
  token: string | undefined,
  now: Date,
): Promise<(SessionSummary & { user: UserSummary }) | null> {
  if (!token) return null;
  return client.session.findFirst({
    where: { hash: secretHash(token), ...alive(now) },
    select: { ...shown, user: { select: { id: true, name: true, email: true } } },
  });
}

/** The user's sessions, newest first. */
export const listSessions = (client: UnscopedClient, userId: string, now: Date): Promise<SessionSummary[]> =>
  client.session.findMany({ where: { userId, ...alive(now) }, select: shown, orderBy: { id: 'desc' } });

/** Ends sessions: once this returns, no process accepts them. Without `id`, all sessions of the user, or all but one. */
export async function endSessions(
  client: Pick<UnscopedClient, 'session'>,
  { userId, id, except }: { userId: string; id?: string; except?: string },
): Promise<number> {
  const { count } = await client.session.deleteMany({ where: { userId, id: id ?? { not: except } } });
  return count;
}

/**
 * Keeps a session until the transaction ends: whoever ends it afterwards, and what it has made, finds all of that.
 * @throws CodedError if it was ended meanwhile
 */
export async function keepSession(db: Prisma.TransactionClient, id: string): Promise<void> {
  const kept = await db.$executeRaw`select from sessions where id = ${id}::uuid for share`;
  if (kept === 0) throw new CodedError('UNAUTHENTICATED', 'The session has ended. Sign in again.');
}

/** Deletes expired sessions. */
export async function deleteExpiredSessions(client: UnscopedClient, now: Date): Promise<void> {
  await client.session.deleteMany({ where: { NOT: alive(now) } });
}

export type SessionAuthentication =
  | { kind: 'principal'; principal: Principal & { session: { id: string } } }
  /** No such session, or one that has ended. */
  | { kind: 'unauthenticated' }
  /** The user isn't a member of the requested tenant, or of any tenant. */
  | { kind: 'no-tenant'; sessionId: string };

interface Row {
  id: string;
  lastSeenAt: Date;
  userId: string;
  userName: string;
  userEmail: string;
  tenantId: string | null;
  tenantName: string;
  country: string;
  defaultCurrency: string;
  timezone: string;
  test: boolean;
  holder: Holder;
  clockAheadMs: number;
}

/**
 * Authenticates a session's token for a tenant: the named one, else the one that the user joined first. It queries the
 * database each time, as for API tokens.
 *
 * Records the session's use after the response, if it is one; `onError` is called if this fails.
 */
export async function authenticateSession(
  client: UnscopedClient,
  { token, tenantId }: { token: string; tenantId: string | null },
  now: Date,
  onError: (error: unknown) => void,
  { isUse = true } = {},
): Promise<SessionAuthentication> {
  const { createdAt, lastSeenAt } = alive(now);
  const named = tenantId !== null && isUuid(tenantId) ? tenantId : null;
  const [row] = await client.$queryRaw<Row[]>`
    select s.id, s.last_seen_at as "lastSeenAt", u.id as "userId", u.name as "userName", u.email as "userEmail",
      n.id as "tenantId", n.name as "tenantName", n.country, n.default_currency as "defaultCurrency", n.timezone,
      n.test, coalesce(n.test_of, n.id) as holder, n.clock_ahead_ms as "clockAheadMs"
    from sessions s
      join users u on u.id = s.user_id
      left join lateral (
        select t.* from memberships m join tenants t on t.id = m.tenant_id
        where m.user_id = s.user_id and t.closed_at is null and (${named}::uuid is null or t.id = ${named}::uuid)
        order by m.created_at, t.id limit 1
      ) n on true
    where s.hash = ${secretHash(token)} and s.created_at > ${createdAt.gt} and s.last_seen_at > ${lastSeenAt.gt}`;
  if (!row) return { kind: 'unauthenticated' };

  if (isUse) noteUse(client, row, now).catch(onError);
  if (row.tenantId === null || (tenantId !== null && named === null)) return { kind: 'no-tenant', sessionId: row.id };
  const {
    id,
    userId,
    userName,
    userEmail,
    tenantName,
    country,
    defaultCurrency,
    timezone,
    test,
    holder,
    clockAheadMs,
  } = row;
  return {
    kind: 'principal',
    principal: {
      user: { id: userId, name: userName, email: userEmail },
      tenant: { id: row.tenantId, name: tenantName, country, defaultCurrency, timezone, test, holder, clockAheadMs },
      token: null,
      session: { id },
    },
  };
}

/** Writes `last_seen_at`, at most once a minute. */
async function noteUse(client: UnscopedClient, { id, lastSeenAt }: Row, now: Date): Promise<void> {
  const aMinuteAgo = new Date(now.getTime() - 60_000);
  if (lastSeenAt > aMinuteAgo) return;
  await client.session.updateMany({ where: { id, lastSeenAt: { lte: aMinuteAgo } }, data: { lastSeenAt: now } });
}
