import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { verify } from '@node-rs/argon2';
import * as fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect, type UnscopedClient } from '../prisma/client.ts';
import {
  authenticate as authenticateWith,
  closeTenant,
  createTenant,
  createToken,
  createUser,
  listTenants,
  listTokens,
  RefusedError,
  removeUser,
  revokeToken,
  verifyPassword,
  type Authentication,
} from '../src/identity/index.ts';
import { mintToken, tokenHash } from '../src/identity/token.ts';
import { createDatabase, type Database } from './harness.ts';

vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>();
  return { ...argon2, verify: vi.fn<typeof argon2.verify>(argon2.verify) };
});

let database: Database;
let pool: Pool;
let client: UnscopedClient;
/** The SQL sent. */
const statements: string[] = [];
const onError = vi.fn<(error: unknown) => void>();

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url, max: 10 });
  pool.on('error', () => {});
  pool.on('connect', (connection) => {
    const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
    connection.query = ((first: string | { text: string }, ...rest: unknown[]) => {
      statements.push(typeof first === 'string' ? first : first.text);
      return query(first, ...rest);
    }) as typeof connection.query;
  });
  client = connect(pool);
});

afterAll(async () => {
  await client.$disconnect();
  await pool.end();
  await database.drop();
});

beforeEach(() => {
  onError.mockReset();
});

const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';
const someEmail = (): string => `${randomUUID()}@example.com`;

const authenticate = (token: string, now = new Date()): Promise<Authentication> =>
  authenticateWith(client, `Bearer ${token}`, now, onError);
const kindOf = async (token: string, now?: Date): Promise<string> => (await authenticate(token, now)).kind;

/** A tenant with one user and a token. */
async function someTenant() {
  const tenant = await createTenant(client, { name: 'Acme' });
  const user = await createUser(client, { email: someEmail(), tenantId: tenant.id });
  const token = await createToken(client, { tenantId: tenant.id });
  return { tenant, user, token };
}

const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
const lastUsed = async (id: string): Promise<Date | null> =>
  (await client.apiToken.findUniqueOrThrow({ where: { id } })).lastUsedAt;
const untilUsed = (id: string): Promise<void> => vi.waitFor(async () => expect(await lastUsed(id)).not.toBeNull());

const ids = (tokens: { id: string }[]): string[] => tokens.map(({ id }) => id);

/** The one line a refusal consists of. */
async function refusal(action: Promise<unknown>): Promise<string> {
  const error: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RefusedError);
  const { message } = error as RefusedError;
  expect(message).not.toContain('\n');
  return message;
}

describe('a token’s value', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const base62 = (text: string): number =>
    [...text].reduce((sum, character) => sum * 62 + alphabet.indexOf(character), 0);

  it('is a fixed prefix, 40 random base62 characters, and a checksum of 6', () => {
    for (let i = 0; i < 1000; i++) {
      const { value, hash, lastFour } = mintToken();
      expect(value).toMatch(/^kontor_[0-9A-Za-z]{46}$/);
      expect(base62(value.slice(-6))).toBe(crc32(value.slice(7, 47)));
      expect(Buffer.from(hash)).toEqual(createHash('sha256').update(value).digest());
      expect(value.endsWith(lastFour)).toBe(true);
      expect(tokenHash(value)).toEqual(hash);
    }
  });

  it('draws every character equally often', () => {
    const counts = new Map<string, number>();
    const tokens = 5000;
    for (let i = 0; i < tokens; i++)
      for (const character of mintToken().value.slice(7, 47)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (tokens * 40) / 62;
    const chiSquared = [...alphabet].reduce(
      (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
      0,
    );
    // 61 degrees of freedom: exceeded by chance once in ten million times. Bytes modulo 62 would come to about 1,500.
    expect(chiSquared).toBeLessThan(137);
  });

  it('is known for mistyped after any change of one character', () => {
    fc.assert(
      fc.property(
        fc.nat(52),
        fc.oneof(fc.constantFrom(...alphabet), fc.string({ minLength: 1, maxLength: 1 })),
        (position, character) => {
          const { value } = mintToken();
          fc.pre(value[position] !== character);
          expect(tokenHash(value.slice(0, position) + character + value.slice(position + 1))).toBeNull();
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('is known for mistyped after two neighbours changed places, or when cut or drawn out', () => {
    fc.assert(
      fc.property(fc.nat(51), fc.string({ minLength: 1 }), (position, more) => {
        const { value } = mintToken();
        const swapped = value.slice(0, position) + value[position + 1]! + value[position]! + value.slice(position + 2);
        expect(swapped === value || tokenHash(swapped) === null).toBe(true);
        expect(tokenHash(value.slice(0, position))).toBeNull();
        expect(tokenHash(value + more)).toBeNull();
        expect(tokenHash(more + value)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});

describe('authentication', () => {
  it('finds the user, the tenant and the token, in one statement', async () => {
    const { tenant, user } = await someTenant();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token, id } = await createToken(client, {
      tenantId: tenant.id,
      name: 'Shop',
      abilities: ['read', 'invoices:write'],
      expiresAt,
    });
    statements.length = 0;
    const now = new Date();
    const answer = await authenticate(token, now);
    expect(statements.filter((sql) => sql.includes('where t.hash'))).toHaveLength(1);
    expect(statements.filter((sql) => !sql.includes('where t.hash') && !sql.startsWith('UPDATE'))).toEqual([]);
    expect(answer).toEqual({
      kind: 'principal',
      tokenId: id,
      principal: {
        user: { id: user.id, name: user.email.split('@')[0], email: user.email },
        tenant: { id: tenant.id, name: 'Acme', country: 'DE', defaultCurrency: 'EUR', timezone: 'UTC' },
        token: {
          id,
          name: 'Shop',
          abilities: ['read', 'invoices:write'],
          lastFour: expect.stringMatching(/^[0-9A-Za-z]{4}$/),
          createdAt: expect.any(Date),
          lastUsedAt: null,
          expiresAt,
        },
      },
    });
    await untilUsed(id);
  });

  it('asks about many requests at once, and says of each who sends it', async () => {
    const made = [await someTenant(), await someTenant(), await someTenant()];
    await revokeToken(client, made[2]!.token.id);
    const sent = [...made, ...made].map(({ token }) => token.token);
    statements.length = 0;
    const answers = await Promise.all([...sent, mintToken().value].map((token) => authenticate(token)));
    const [first, second] = made.map(({ user }) => ({ kind: 'principal', principal: { user: { id: user.id } } }));
    const unauthenticated = { kind: 'unauthenticated' };
    const each = [first, second, unauthenticated];
    expect(answers).toMatchObject([...each, ...each, unauthenticated]);
    expect(statements.filter((sql) => sql.includes('where t.hash'))).toHaveLength(1);
  });

  it('takes the scheme in any case, and no other scheme', async () => {
    const { token } = await someTenant();
    const kinds = [];
    for (const header of [
      `bearer ${token.token}`,
      `BEARER   ${token.token}`,
      token.token,
      `Token ${token.token}`,
      `Bearer${token.token}`,
      `Bearer ${token.token} x`,
      'Bearer',
      '',
      null,
    ]) {
      kinds.push((await authenticateWith(client, header, new Date(), onError)).kind);
    }
    expect(kinds).toEqual(['principal', 'principal', ...Array.from({ length: 7 }, () => 'unauthenticated')]);
  });

  it('rejects what can’t be a token without asking the database', async () => {
    const { value } = mintToken();
    statements.length = 0;
    for (const wrong of [
      value.slice(0, -1),
      `${value}0`,
      value.replace('kontor_', 'Kontor_'),
      value.slice(0, -1) + (value.endsWith('0') ? '1' : '0'),
    ]) {
      expect(await kindOf(wrong)).toBe('unauthenticated');
    }
    expect(statements).toEqual([]);
  });

  it('rejects a well-formed token that nobody made', async () => {
    expect(await kindOf(mintToken().value)).toBe('unauthenticated');
  });

  it('rejects a revoked token from the moment on that revocation returns', async () => {
    const { token } = await someTenant();
    expect(await kindOf(token.token)).toBe('principal');
    const busy = new AbortController();
    const revokedFrom = { time: Infinity };
    const late: string[] = [];
    const callers = Array.from({ length: 5 }, async () => {
      while (!busy.signal.aborted) {
        const started = performance.now();
        const kind = await kindOf(token.token);
        if (started >= revokedFrom.time) late.push(kind);
      }
    });
    await sleep(50);
    await revokeToken(client, token.id);
    revokedFrom.time = performance.now();
    await sleep(100);
    busy.abort();
    await Promise.all(callers);
    expect(late.length).toBeGreaterThan(0);
    expect(new Set(late)).toEqual(new Set(['unauthenticated']));
  });

  it('rejects a token that has expired, to the millisecond', async () => {
    const { tenant } = await someTenant();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token } = await createToken(client, { tenantId: tenant.id, expiresAt });
    expect(await kindOf(token, new Date(expiresAt.getTime() - 1))).toBe('principal');
    expect(await kindOf(token, expiresAt)).toBe('unauthenticated');
  });

  it('knows a token without a tenant', async () => {
    const { user } = await someTenant();
    const { token, id } = await createToken(client, { tenantId: null, userEmail: user.email });
    expect(await authenticate(token)).toEqual({ kind: 'no-tenant', tokenId: id });
    await revokeToken(client, id);
    expect(await kindOf(token)).toBe('unauthenticated');
  });

  it('counts a closed tenant, and one the user isn’t in, as none, even if the token still names it', async () => {
    const [closed, left] = [await someTenant(), await someTenant()];
    await client.tenant.update({ where: { id: closed.tenant.id }, data: { closedAt: new Date() } });
    await client.membership.deleteMany({ where: { tenantId: left.tenant.id } });
    expect(await kindOf(closed.token.token)).toBe('no-tenant');
    expect(await kindOf(left.token.token)).toBe('no-tenant');
  });
});

describe('the last use of a token', () => {
  it('is noted after the answer, at most once a minute; the answer tells the one before', async () => {
    const { token } = await someTenant();
    const seen = [];
    for (const seconds of [0, 1, 59.999, 60, 61, 119.999, 500]) {
      const answer = await authenticate(token.token, at(seconds));
      seen.push(answer.kind === 'principal' ? answer.principal.token?.lastUsedAt : answer.kind);
      await sleep(20); // for the note to be written, if one is
    }
    expect(seen).toEqual([null, at(0), at(0), at(0), at(60), at(60), at(60)]);
    expect(await lastUsed(token.id)).toEqual(at(500));
    expect(onError).not.toHaveBeenCalled();
  });

  it('is one write, however many requests come at once', async () => {
    const { token } = await someTenant();
    await pool.query(`
      create table notes (token_id uuid);
      create function note() returns trigger language plpgsql as 'begin insert into notes values (new.id); return null; end';
      create trigger note after update on api_tokens for each row execute function note()`);
    await Promise.all(Array.from({ length: 50 }, (_, index) => authenticate(token.token, at(index))));
    await untilUsed(token.id);
    await sleep(50);
    const { rows } = await pool.query('table notes');
    expect(rows).toEqual([{ token_id: token.id }]);
  });

  it('is one write, also when another process noted one at the same time', async () => {
    const { token } = await someTenant();
    const other = await pool.connect();
    await other.query('begin');
    await other.query('update api_tokens set last_used_at = $2 where id = $1', [token.id, at(1)]);
    expect(await kindOf(token.token, at(30))).toBe('principal');
    await sleep(50); // its own note waits by now
    await other.query('commit');
    other.release();
    await sleep(50);
    expect(await lastUsed(token.id)).toEqual(at(1));
  });

  it('never holds up or fails a request; what goes wrong is reported', async () => {
    const { token } = await someTenant();
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from api_tokens where id = $1 for update', [token.id]);
    expect(await kindOf(token.token)).toBe('principal');
    expect(onError).not.toHaveBeenCalled();
    await vi.waitFor(async () => {
      await pool.query(`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      expect(onError).toHaveBeenCalledOnce();
    });
    await holder.query('rollback');
    holder.release();
    expect(await kindOf(token.token)).toBe('principal'); // and tries again
    await untilUsed(token.id);
  });

  it('is not noted for a token that is rejected', async () => {
    const { token } = await someTenant();
    await revokeToken(client, token.id);
    await authenticate(token.token);
    await sleep(50);
    expect(await lastUsed(token.id)).toBeNull();
  });
});

describe('tenants', () => {
  it('are in Germany, with EUR and UTC, unless told otherwise', async () => {
    const plain = await createTenant(client, { name: '  Acme GmbH ' });
    expect(plain).toMatchObject({
      name: 'Acme GmbH',
      country: 'DE',
      defaultCurrency: 'EUR',
      timezone: 'UTC',
      closedAt: null,
    });
    const other = await createTenant(client, {
      name: 'Kabushiki',
      country: 'JP',
      currency: 'JPY',
      timezone: 'asia/tokyo',
    });
    expect(other).toMatchObject({ country: 'JP', defaultCurrency: 'JPY', timezone: 'Asia/Tokyo' });
    expect((await listTenants(client)).slice(-2)).toEqual([plain, other]);
  });

  it.each([
    [{ name: ' ' }, 'name " ": Must not be empty.'],
    [{ name: 'x'.repeat(256) }, `name "${'x'.repeat(58)}…": Must not be longer than 255 characters.`],
    [{ name: 'a\0\nb' }, String.raw`name "a\u0000\nb": Must not contain NUL characters or lone surrogates.`],
    [
      { name: 'A', country: 'Germany' },
      'country "Germany": Must be an ISO 3166-1 country code of two capital letters.',
    ],
    [{ name: 'A', country: 'de' }, 'country "de": Must be an ISO 3166-1 country code of two capital letters.'],
    [{ name: 'A', currency: 'EURO' }, 'currency "EURO": Must be an ISO 4217 currency code of three capital letters.'],
    [
      { name: 'A', timezone: 'Berlin' },
      'time zone "Berlin": Must be the name of an IANA time zone, like Europe/Berlin.',
    ],
    [
      { name: 'A', timezone: '+02:00' },
      'time zone "+02:00": Must be the name of an IANA time zone, like Europe/Berlin.',
    ],
    [{ name: 'A', timezone: '' }, 'time zone "": Must be the name of an IANA time zone, like Europe/Berlin.'],
    [
      { name: 'A', timezone: '2020-01-01T00:00Z[Europe/Berlin]' },
      'time zone "2020-01-01T00:00Z[Europe/Berlin]": Must be the name of an IANA time zone, like Europe/Berlin.',
    ],
  ])('%j is refused', async (input, message) => {
    expect(await refusal(createTenant(client, input))).toBe(message);
  });

  it('take their tokens’ tenant with them when they close', async () => {
    const [closing, other] = [await someTenant(), await someTenant()];
    await closeTenant(client, closing.tenant.id);
    expect(await authenticate(closing.token.token)).toEqual({ kind: 'no-tenant', tokenId: closing.token.id });
    expect((await client.apiToken.findUniqueOrThrow({ where: { id: closing.token.id } })).tenantId).toBeNull();
    expect((await listTenants(client)).find(({ id }) => id === closing.tenant.id)?.closedAt).toBeInstanceOf(Date);
    expect(await kindOf(other.token.token)).toBe('principal');

    expect(await refusal(closeTenant(client, closing.tenant.id))).toBe(`Tenant ${closing.tenant.id} is closed`);
    expect(await refusal(createToken(client, { tenantId: closing.tenant.id }))).toBe(
      `Tenant ${closing.tenant.id} is closed`,
    );
    expect(await refusal(createUser(client, { email: someEmail(), tenantId: closing.tenant.id }))).toBe(
      `Tenant ${closing.tenant.id} is closed`,
    );
  });

  it('that don’t exist can’t be closed', async () => {
    expect(await refusal(closeTenant(client, unknownId))).toBe(`Unknown tenant "${unknownId}"`);
    expect(await refusal(closeTenant(client, 'acme'))).toBe('Unknown tenant "acme"');
  });

  it('leave no token behind, whoever is making one at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const { tenant } = await someTenant();
      const making = Array.from({ length: 5 }, () =>
        createToken(client, { tenantId: tenant.id }).catch((error: unknown) => error),
      );
      await Promise.all([closeTenant(client, tenant.id), ...making]);
      expect(await listTokens(client, { tenantId: tenant.id })).toEqual([]);
    }
  });
});

describe('users', () => {
  it('are told apart by e-mail address in lower case, and named after it unless told otherwise', async () => {
    const email = someEmail();
    const user = await createUser(client, { email: ` ${email.toUpperCase()} ` });
    expect(user).toEqual({ id: user.id, email, name: email.split('@')[0] });
    expect(await refusal(createUser(client, { email }))).toBe(`User ${email} exists already`);
    expect(await createUser(client, { email: someEmail(), name: ' Ada ' })).toMatchObject({ name: 'Ada' });
  });

  it('belong to any number of tenants', async () => {
    const [first, second] = [await someTenant(), await createTenant(client, { name: 'Second' })];
    const again = await createUser(client, { email: first.user.email, tenantId: second.id });
    expect(again).toEqual(first.user);
    const { token } = await createToken(client, { tenantId: second.id });
    expect(await authenticate(token)).toMatchObject({ principal: { user: first.user, tenant: { name: 'Second' } } });
    expect(await kindOf(first.token.token)).toBe('principal');
    expect(await refusal(createUser(client, { email: first.user.email, tenantId: second.id }))).toBe(
      `User ${first.user.email} is a member of this tenant already`,
    );
  });

  it('are made once, also by two at once', async () => {
    const [one, two] = [await createTenant(client, { name: 'One' }), await createTenant(client, { name: 'Two' })];
    const email = someEmail();
    const users = await Promise.all([one, two].map(({ id }) => createUser(client, { email, tenantId: id })));
    expect(users[0]).toEqual(users[1]);
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => createUser(client, { email: `x${email}`, tenantId: one.id })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    [{ email: 'nobody' }, 'e-mail "nobody": Must be an e-mail address.'],
    [{ email: 'a@example.com', name: '' }, 'name "": Must not be empty.'],
    [{ email: 'a@example.com', password: 'hunter2' }, 'The password must have at least 12 characters'],
    [{ email: 'a@example.com', tenantId: unknownId }, `Unknown tenant "${unknownId}"`],
    [{ email: 'a@example.com', tenantId: 'acme' }, 'Unknown tenant "acme"'],
  ])('%j is refused, and leaves nothing', async (input, message) => {
    expect(await refusal(createUser(client, input))).toBe(message);
    expect(await client.user.count({ where: { email: input.email } })).toBe(0);
  });

  it('who leave a tenant lose it on their tokens, for good, and no other', async () => {
    const { tenant, user, token } = await someTenant();
    const [other, colleague] = [
      await createTenant(client, { name: 'Other' }),
      await createUser(client, { email: someEmail(), tenantId: tenant.id }),
    ];
    await createUser(client, { email: user.email, tenantId: other.id });
    const [elsewhere, theirs] = [
      await createToken(client, { tenantId: other.id }),
      await createToken(client, { tenantId: tenant.id, userEmail: colleague.email }),
    ];

    await removeUser(client, { email: user.email.toUpperCase(), tenantId: tenant.id });
    expect(await kindOf(token.token)).toBe('no-tenant');
    expect(await kindOf(elsewhere.token)).toBe('principal');
    expect(await kindOf(theirs.token)).toBe('principal');

    await createUser(client, { email: user.email, tenantId: tenant.id });
    expect(await kindOf(token.token)).toBe('no-tenant');
  });

  it('leave no token behind, even if one is being made', async () => {
    for (let round = 0; round < 10; round++) {
      const { tenant, user } = await someTenant();
      const making = Array.from({ length: 5 }, () =>
        createToken(client, { tenantId: tenant.id }).catch((error: unknown) => error),
      );
      await Promise.all([removeUser(client, { email: user.email, tenantId: tenant.id }), ...making]);
      expect(await listTokens(client, { tenantId: tenant.id })).toEqual([]);
    }
  });

  it('can’t leave where they aren’t', async () => {
    const [{ tenant }, { user }] = [await someTenant(), await someTenant()];
    expect(await refusal(removeUser(client, { email: user.email, tenantId: tenant.id }))).toBe(
      `User ${user.email} is not a member of this tenant`,
    );
    expect(await refusal(removeUser(client, { email: 'nobody@example.com', tenantId: tenant.id }))).toBe(
      'Unknown user "nobody@example.com"',
    );
    expect(await refusal(removeUser(client, { email: user.email, tenantId: 'acme' }))).toBe('Unknown tenant "acme"');
  });
});

describe('a password', () => {
  it('is kept as Argon2id, and verified', async () => {
    const email = someEmail();
    const user = await createUser(client, { email, password: 'correct hörse battery' });
    const { passwordHash } = await client.user.findUniqueOrThrow({ where: { email } });
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword(client, email.toUpperCase(), 'correct hörse battery')).toMatchObject(user);
    expect(await verifyPassword(client, email, 'correct ho\u0308rse battery')).toMatchObject(user);
    expect(await verifyPassword(client, email, 'correct horse battery')).toBeNull();
    expect(await verifyPassword(client, email, '')).toBeNull();
  });

  it('costs the same to check when there is no such user, or none with a password', async () => {
    const [known, without] = [someEmail(), someEmail()];
    await createUser(client, { email: known, password: 'correct horse battery' });
    await createUser(client, { email: without });
    const costs = [];
    for (const email of [known, without, someEmail()]) {
      vi.mocked(verify).mockClear();
      expect(await verifyPassword(client, email, 'wrong horse battery')).toBeNull();
      costs.push(vi.mocked(verify).mock.calls.map(([hashed]) => String(hashed).split('$').slice(0, 4)));
    }
    expect(costs).toEqual(costs.map(() => [['', 'argon2id', 'v=19', 'm=19456,t=2,p=1']]));
  });

  it('of a user there is already is not changed by adding them to a tenant', async () => {
    const [email, { tenant }] = [someEmail(), await someTenant()];
    await createUser(client, { email, password: 'correct horse battery' });
    expect(await refusal(createUser(client, { email, tenantId: tenant.id, password: 'another horse battery' }))).toBe(
      `User ${email} exists already: leave out the password, it stays what it is`,
    );
    expect(await verifyPassword(client, email, 'correct horse battery')).not.toBeNull();
  });
});

describe('tokens', () => {
  it('may do everything and never expire, unless told otherwise; their value is shown once and stored nowhere', async () => {
    const { tenant, user, token } = await someTenant();
    expect(token).toEqual({
      id: token.id,
      token: expect.stringMatching(/^kontor_/),
      tenantId: tenant.id,
      user,
      name: 'API token',
      abilities: ['*'],
      lastFour: token.token.slice(-4),
      createdAt: expect.any(Date),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    });
    const { token: value, ...rest } = token;
    expect(await listTokens(client, { tenantId: tenant.id })).toEqual([rest]);
    const row = await client.apiToken.findUniqueOrThrow({ where: { id: token.id } });
    expect(Buffer.from(row.hash)).toEqual(createHash('sha256').update(value).digest());
    expect(JSON.stringify(row)).not.toContain(value.slice(7, 47));
  });

  it('are listed newest first, of one tenant or all', async () => {
    const [one, two] = [await someTenant(), await someTenant()];
    const second = await createToken(client, { tenantId: one.tenant.id });
    expect(ids(await listTokens(client, { tenantId: one.tenant.id }))).toEqual([second.id, one.token.id]);
    expect(ids(await listTokens(client)).slice(0, 3)).toEqual([second.id, two.token.id, one.token.id]);
    expect(await refusal(listTokens(client, { tenantId: unknownId }))).toBe(`Unknown tenant "${unknownId}"`);
    expect(await refusal(listTokens(client, { tenantId: 'acme' }))).toBe('Unknown tenant "acme"');
  });

  it('belong to the tenant’s only user, or to the one that is named', async () => {
    const tenant = await createTenant(client, { name: 'Acme' });
    expect(await refusal(createToken(client, { tenantId: tenant.id }))).toBe(
      'The tenant has no users yet: create one first',
    );
    const [ada, bob] = [
      await createUser(client, { email: someEmail(), tenantId: tenant.id }),
      await createUser(client, { email: someEmail() }),
    ];
    expect((await createToken(client, { tenantId: tenant.id })).user).toEqual(ada);
    expect(await refusal(createToken(client, { tenantId: tenant.id, userEmail: bob.email }))).toBe(
      `User ${bob.email} is not a member of this tenant`,
    );
    await createUser(client, { email: bob.email, tenantId: tenant.id });
    expect(await refusal(createToken(client, { tenantId: tenant.id }))).toBe('Several users: name one with --user');
    expect((await createToken(client, { tenantId: tenant.id, userEmail: bob.email.toUpperCase() })).user).toEqual(bob);
  });

  it('without a tenant need a user by name', async () => {
    expect(await refusal(createToken(client, { tenantId: null }))).toBe(
      'A token without a tenant needs a user: name one with --user',
    );
    expect(await refusal(createToken(client, { tenantId: null, userEmail: 'nobody@example.com' }))).toBe(
      'Unknown user "nobody@example.com"',
    );
  });

  it('can only be given abilities that exist, each once', async () => {
    const { tenant } = await someTenant();
    const create = (abilities: string[]) => createToken(client, { tenantId: tenant.id, abilities });
    expect((await create(['time-entries:read', 'read', 'read'])).abilities).toEqual(['time-entries:read', 'read']);
    expect(await refusal(create(['invoices:delete']))).toMatch(
      /^ability "invoices:delete": Must be one of \*, read, write, customers:read, /,
    );
    expect(await refusal(create([]))).toBe('A token needs at least one ability');
  });

  it('can’t have expired before they are made, nor have a name that is empty', async () => {
    const { tenant } = await someTenant();
    const create = (rest: { expiresAt?: Date; name?: string }) => createToken(client, { tenantId: tenant.id, ...rest });
    expect(await refusal(create({ expiresAt: new Date() }))).toBe('The expiry must be a time in the future');
    expect(await refusal(create({ expiresAt: new Date(Number.NaN) }))).toBe('The expiry must be a time in the future');
    expect(await refusal(create({ name: '' }))).toBe('name "": Must not be empty.');
  });

  it('are revoked once and for all', async () => {
    const { token } = await someTenant();
    await revokeToken(client, token.id);
    const [revoked] = await listTokens(client);
    expect(revoked?.revokedAt).toBeInstanceOf(Date);
    await revokeToken(client, token.id);
    expect((await listTokens(client))[0]).toEqual(revoked);
    expect(await refusal(revokeToken(client, unknownId))).toBe(`Unknown token "${unknownId}"`);
    expect(await refusal(revokeToken(client, 'x'))).toBe('Unknown token "x"');
  });
});
