import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { Holder } from '../../prisma/client.ts';
import type { Principal } from '../../schema/graphql/context.ts';
import { parseToken } from './token.ts';
import { TokenUse } from './token-use.ts';

export type Authentication =
  | {
      kind: 'principal';
      principal: Principal;
      tokenId: string;
      /** Whether somebody follows the token's requests. */
      isFollowed: boolean;
    }
  /** No token, or none that is valid: malformed, unknown, revoked or expired. */
  | { kind: 'unauthenticated' }
  /** The token is valid, but has lost its tenant or never had one. */
  | { kind: 'no-tenant'; tokenId: string };

/** A token's use is written at most so often: often enough to see which tokens are in use. */
const useIsWrittenEveryMs = 60_000;

interface Row {
  hash: Uint8Array;
  id: string;
  name: string;
  abilities: string[];
  trustedDocuments: boolean;
  requestsPerMinute: number | null;
  lastFour: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  followedUntil: Date | null;
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

/** Authenticates an `Authorization` header. */
export type Authenticate = (authorization: string | null, now: Date) => Promise<Authentication>;

/**
 * Creates a process's authentication of tokens. It queries the database each time, so that no process accepts a token after
 * its revocation, after its user has left the tenant, or after the tenant was closed. Lookups of concurrent requests are
 * batched. A cache of principals could be stale, and had no measurable benefit over batching.
 * @param onError is called if a token's use can't be recorded, which happens after the response
 */
export function createAuthenticate(pool: Pool, onError: (error: unknown) => void): Authenticate {
  const use = new TokenUse(pool);
  const lookups = batchWhileBusy<Uint8Array, Row | undefined>(async (hashes) => {
    const { rows } = await pool.query<Row>({ name: 'callers', text: callers, values: [hashes] });
    const byHash = new Map<string, Row>();
    for (const row of rows) byHash.set(row.hash.toHex(), row);
    return hashes.map((hash) => byHash.get(hash.toHex()));
  });
  return async (authorization, now) => {
    const [, value = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    const parsed = parseToken(value);
    if (!parsed) return { kind: 'unauthenticated' };

    const row = await lookups.load(parsed.hash);
    if (!row || row.revokedAt || (row.expiresAt && row.expiresAt <= now)) return { kind: 'unauthenticated' };

    if (!row.lastUsedAt || row.lastUsedAt.getTime() <= now.getTime() - useIsWrittenEveryMs)
      use.note(row.id, now).catch(onError);
    if (row.tenantId === null) return { kind: 'no-tenant', tokenId: row.id };
    // A token for tests never reaches the books of a business, nor the other way round, whatever the rows say.
    if (row.test !== parsed.test) return { kind: 'unauthenticated' };
    const isFollowed = row.followedUntil !== null && row.followedUntil > now;
    return { kind: 'principal', principal: buildPrincipal(row, row.tenantId), tokenId: row.id, isFollowed };
  };
}

/** How long a query may delay the next batch, so that a query on a dead connection delays only its own batch. */
const maxDelayMs = 20;

/**
 * Batches the lookups of many requests: lookups that arrive while a query runs form the next batch. Every value is thus
 * read after it was requested.
 * @param lookUp returns the values in the order of the keys
 */
export function batchWhileBusy<Key, Value>(lookUp: (keys: readonly Key[]) => Promise<Value[]>): DataLoader<Key, Value> {
  let answered: Promise<unknown> = Promise.resolve();
  return new DataLoader<Key, Value>(
    (keys) => {
      const answers = lookUp(keys);
      answered = Promise.race([answers.catch(() => {}), sleep(maxDelayMs, undefined, { ref: false })]);
      return answers;
    },
    { cache: false, batchScheduleFn: (dispatch) => void answered.then(dispatch) },
  );
}

// Without Prisma, which saves CPU time in every request. A token loses its tenant if the user has no membership any more, or
// if the tenant is closed, even though the token's row still refers to them.
const callersWhere = (condition: string): string => `
  select t.hash, t.id, t.name, t.abilities, t.last_four as "lastFour", t.created_at as "createdAt",
    t.trusted_documents as "trustedDocuments", t.requests_per_minute as "requestsPerMinute",
    t.last_used_at as "lastUsedAt", t.expires_at as "expiresAt", t.revoked_at as "revokedAt",
    t.followed_until as "followedUntil",
    u.id as "userId", u.name as "userName", u.email as "userEmail",
    n.id as "tenantId", n.name as "tenantName", n.country, n.default_currency as "defaultCurrency", n.timezone,
    n.test, coalesce(n.test_of, n.id) as holder, n.clock_ahead_ms as "clockAheadMs"
  from api_tokens t
    join users u on u.id = t.user_id
    left join memberships m on m.tenant_id = t.tenant_id and m.user_id = t.user_id
    left join tenants n on n.id = m.tenant_id and n.closed_at is null
  where ${condition}`;

const callers = callersWhere('t.hash = any((select $1::bytea[])::bytea[])');

/** Who once made a request, with the access that they have now. Undefined where they have none. */
export async function findPrincipal(
  pool: Pool,
  { tenantId, userId, tokenId }: { tenantId: string; userId: string; tokenId: string | null },
  now: Date,
): Promise<Principal | undefined> {
  if (tokenId === null) {
    const { rows } = await pool.query<Member>(members, [tenantId, userId]);
    return rows[0] && buildPrincipal(rows[0], tenantId);
  }
  const { rows } = await pool.query<Row>(callersWhere('t.id = $1'), [tokenId]);
  const [row] = rows;
  if (!row || row.revokedAt || (row.expiresAt && row.expiresAt <= now) || row.tenantId !== tenantId) return undefined;
  return buildPrincipal(row, row.tenantId);
}

type Member = Pick<
  Row,
  | 'userId'
  | 'userName'
  | 'userEmail'
  | 'tenantName'
  | 'country'
  | 'defaultCurrency'
  | 'timezone'
  | 'test'
  | 'holder'
  | 'clockAheadMs'
>;

const members = `
  select u.id as "userId", u.name as "userName", u.email as "userEmail",
    n.name as "tenantName", n.country, n.default_currency as "defaultCurrency", n.timezone,
    n.test, coalesce(n.test_of, n.id) as holder, n.clock_ahead_ms as "clockAheadMs"
  from memberships m
    join users u on u.id = m.user_id
    join tenants n on n.id = m.tenant_id and n.closed_at is null
  where m.tenant_id = $1 and m.user_id = $2`;

/** @param row of a token, or of a member without one */
function buildPrincipal(row: Row | Member, tenantId: string): Principal {
  const { userId, userName, userEmail, tenantName, country, defaultCurrency, timezone, test, holder, clockAheadMs } =
    row;
  const principal = {
    user: { id: userId, name: userName, email: userEmail },
    tenant: { id: tenantId, name: tenantName, country, defaultCurrency, timezone, test, holder, clockAheadMs },
  };
  if (!('hash' in row)) return { ...principal, token: null };
  const { id, name, abilities, trustedDocuments, requestsPerMinute, lastFour, createdAt, lastUsedAt, expiresAt } = row;
  return {
    ...principal,
    token: { id, name, abilities, trustedDocuments, requestsPerMinute, lastFour, createdAt, lastUsedAt, expiresAt },
  };
}
