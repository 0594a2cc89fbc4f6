import { createHash, randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { describe, expect, it, vi } from 'vitest';
import {
  closeTenant,
  findTenant,
  reopenTenant,
  createTenant,
  createToken,
  addExistingUser,
  createUser,
  listTenants,
  listTokens,
  removeUser,
  revokeToken,
  verifyPassword,
} from '../../src/identity/index.ts';
import {
  openAccounts,
  client,
  unknownId,
  someEmail,
  authenticate,
  findKind,
  someTenant,
  ids,
  refusal,
} from './accounts.ts';

vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>();
  return { ...argon2, verify: vi.fn<typeof argon2.verify>(argon2.verify) };
});

openAccounts();

describe('tenants', () => {
  it('have country DE, EUR, and UTC by default', async () => {
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

  it('can’t be used once they are closed, and can again once they are reopened', async () => {
    const [closing, other] = [await someTenant(), await someTenant()];
    await closeTenant(client, closing.tenant.id);
    expect(await authenticate(closing.token.token)).toEqual({ kind: 'no-tenant', tokenId: closing.token.id });
    expect((await listTenants(client)).find(({ id }) => id === closing.tenant.id)?.closedAt).toBeInstanceOf(Date);
    expect(await findKind(other.token.token)).toBe('principal');

    expect(await refusal(closeTenant(client, closing.tenant.id))).toBe(`Tenant ${closing.tenant.id} is closed`);
    expect(await refusal(createToken(client, { tenantId: closing.tenant.id }))).toBe(
      `Tenant ${closing.tenant.id} is closed`,
    );
    expect(await refusal(createUser(client, { email: someEmail(), tenantId: closing.tenant.id }))).toBe(
      `Tenant ${closing.tenant.id} is closed`,
    );

    await reopenTenant(client, closing.tenant.id);
    expect(await findKind(closing.token.token)).toBe('principal');
    expect((await findTenant(client, closing.tenant.id)).closedAt).toBeNull();
    expect(await refusal(reopenTenant(client, closing.tenant.id))).toBe(`Tenant ${closing.tenant.id} is open`);
    expect(await refusal(reopenTenant(client, unknownId))).toBe(`Unknown tenant "${unknownId}"`);
    expect(await refusal(findTenant(client, unknownId))).toBe(`Unknown tenant "${unknownId}"`);
  });

  it('can’t be closed if they don’t exist', async () => {
    expect(await refusal(closeTenant(client, unknownId))).toBe(`Unknown tenant "${unknownId}"`);
    expect(await refusal(closeTenant(client, 'acme'))).toBe('Unknown tenant "acme"');
  });

  it('accept no token, also if one is created while they are closed', async () => {
    for (let round = 0; round < 10; round++) {
      const { tenant } = await someTenant();
      const making = Array.from({ length: 5 }, () =>
        createToken(client, { tenantId: tenant.id }).then(
          ({ token }) => token,
          () => undefined,
        ),
      );
      const [, ...made] = await Promise.all([closeTenant(client, tenant.id), ...making]);
      for (const token of made) if (token !== undefined) expect(await findKind(token)).toBe('no-tenant');
    }
  });
});

describe('users', () => {
  it('are identified by their lower-case e-mail address, which is their default name', async () => {
    const email = someEmail();
    const user = await createUser(client, { email: ` ${email.toUpperCase()} ` });
    expect(user).toEqual({ id: user.id, email, name: email.split('@')[0] });
    expect(await refusal(createUser(client, { email }))).toMatch(
      new RegExp(`^User ${email} exists already, since \\S+\\+00:00, made on the command line$`),
    );
    expect(await createUser(client, { email: someEmail(), name: ' Ada ' })).toMatchObject({ name: 'Ada' });
  });

  it('belong to any number of tenants', async () => {
    const [first, second] = [await someTenant(), await createTenant(client, { name: 'Second' })];
    const again = await addExistingUser(client, { email: first.user.email.toUpperCase(), tenantId: second.id });
    expect(again).toMatchObject(first.user);
    const { token } = await createToken(client, { tenantId: second.id });
    expect(await authenticate(token)).toMatchObject({ principal: { user: first.user, tenant: { name: 'Second' } } });
    expect(await findKind(first.token.token)).toBe('principal');
    for (const add of [createUser, addExistingUser]) {
      expect(await refusal(add(client, { email: first.user.email, tenantId: second.id }))).toBe(
        `User ${first.user.email} is a member of this tenant already`,
      );
    }
    expect(await refusal(addExistingUser(client, { email: someEmail(), tenantId: second.id }))).toMatch(
      /^Unknown user/,
    );
  });

  it('with an account are not added by creating it again; the error says since when it exists', async () => {
    const [email, { tenant }] = [someEmail(), await someTenant()];
    await createUser(client, { email });
    const { createdAt } = await client.user.findUniqueOrThrow({ where: { email } });
    const since = createdAt.toISOString().slice(0, 19);
    expect(await refusal(createUser(client, { email, tenantId: tenant.id }))).toContain(
      `exists already, since ${since}`,
    );
    expect(await client.membership.count({ where: { user: { email } } })).toBe(0);
  });

  it('are created once, also by many concurrent calls', async () => {
    const { tenant } = await someTenant();
    const email = someEmail();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => createUser(client, { email, tenantId: tenant.id })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await client.membership.count({ where: { user: { email } } })).toBe(1);
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

  it('who leave a tenant lose it on their tokens for good, and no other tenant', async () => {
    const { tenant, user, token } = await someTenant();
    const [other, colleague] = [
      await createTenant(client, { name: 'Other' }),
      await createUser(client, { email: someEmail(), tenantId: tenant.id }),
    ];
    await addExistingUser(client, { email: user.email, tenantId: other.id });
    const [elsewhere, theirs] = [
      await createToken(client, { tenantId: other.id }),
      await createToken(client, { tenantId: tenant.id, userEmail: colleague.email }),
    ];

    await removeUser(client, { email: user.email.toUpperCase(), tenantId: tenant.id });
    expect(await findKind(token.token)).toBe('no-tenant');
    expect(await findKind(elsewhere.token)).toBe('principal');
    expect(await findKind(theirs.token)).toBe('principal');

    await addExistingUser(client, { email: user.email, tenantId: tenant.id });
    expect(await findKind(token.token)).toBe('no-tenant');
  });

  it('leave no token behind, also if one is created meanwhile', async () => {
    for (let round = 0; round < 10; round++) {
      const { tenant, user } = await someTenant();
      const making = Array.from({ length: 5 }, () =>
        createToken(client, { tenantId: tenant.id }).catch((error: unknown) => error),
      );
      await Promise.all([removeUser(client, { email: user.email, tenantId: tenant.id }), ...making]);
      expect(await listTokens(client, { tenantId: tenant.id })).toEqual([]);
    }
  });

  it('can’t leave a tenant of which they are no member', async () => {
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
  it('is stored as Argon2id, and verified', async () => {
    const email = someEmail();
    const user = await createUser(client, { email, password: 'correct hörse battery' });
    const { passwordHash } = await client.user.findUniqueOrThrow({ where: { email } });
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword(client, email.toUpperCase(), 'correct hörse battery')).toMatchObject(user);
    expect(await verifyPassword(client, email, 'correct ho\u0308rse battery')).toMatchObject(user);
    expect(await verifyPassword(client, email, 'correct horse battery')).toBeNull();
    expect(await verifyPassword(client, email, '')).toBeNull();
  });

  it('takes the same work to check for an unknown user and for one without a password', async () => {
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

  it('of an existing user is not changed by adding them to a tenant', async () => {
    const [email, { tenant }] = [someEmail(), await someTenant()];
    await createUser(client, { email, password: 'correct horse battery' });
    const again = { email, tenantId: tenant.id, password: 'another horse battery' };
    expect(await refusal(createUser(client, again))).toMatch(/exists already/);
    await addExistingUser(client, { email, tenantId: tenant.id });
    expect(await verifyPassword(client, email, 'correct horse battery')).not.toBeNull();
  });
});

describe('tokens', () => {
  it('have all abilities and no expiry by default; their value is shown once and not stored', async () => {
    const { tenant, user, token } = await someTenant();
    expect(token).toEqual({
      id: token.id,
      token: expect.stringMatching(/^kontor_/),
      tenantId: tenant.id,
      user,
      name: 'API token',
      abilities: ['*'],
      trustedDocuments: false,
      requestsPerMinute: null,
      followedUntil: null,
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

  it('belong to the tenant’s only user, or to the named one', async () => {
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
    await addExistingUser(client, { email: bob.email, tenantId: tenant.id });
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

  it('take only known abilities, each once', async () => {
    const { tenant } = await someTenant();
    const create = (abilities: string[]) => createToken(client, { tenantId: tenant.id, abilities });
    expect((await create(['time-entries:read', 'read', 'read'])).abilities).toEqual(['time-entries:read', 'read']);
    expect(await refusal(create(['invoices:delete']))).toMatch(
      /^ability "invoices:delete": Must be one of \*, read, write, customers:read, /,
    );
    expect(await refusal(create([]))).toBe('A token must have at least one ability');
  });

  it('reject an expiry in the past and an empty name', async () => {
    const { tenant } = await someTenant();
    const create = (rest: { expiresAt?: Date; name?: string }) => createToken(client, { tenantId: tenant.id, ...rest });
    expect(await refusal(create({ expiresAt: new Date() }))).toBe('The expiry must be a time in the future');
    expect(await refusal(create({ expiresAt: new Date(Number.NaN) }))).toBe('The expiry must be a time in the future');
    expect(await refusal(create({ name: '' }))).toBe('name "": Must not be empty.');
  });

  it('of a user for one tenant are at most 100 valid ones, also when created concurrently', async () => {
    const { tenant, user, token } = await someTenant();
    const rows = Array.from({ length: 95 }, () => ({
      tenantId: tenant.id,
      userId: user.id,
      name: 'many',
      abilities: ['*'],
      lastFour: 'many',
      hash: randomBytes(32),
    }));
    await client.apiToken.createMany({ data: rows });
    const gone = { ...rows[0]!, hash: randomBytes(32) };
    await client.apiToken.create({ data: { ...gone, revokedAt: new Date() } });
    await client.apiToken.create({ data: { ...gone, hash: randomBytes(32), expiresAt: new Date(0) } });
    const make = (rest = {}) => createToken(client, { tenantId: tenant.id, ...rest });
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => make()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const message = 'A user can have 100 active tokens for a tenant: revoke one that is no longer in use';
    expect(await refusal(make())).toBe(message);
    await createUser(client, { email: `x${user.email}`, tenantId: tenant.id });
    await make({ userEmail: `x${user.email}` });
    const nowhere = { tenantId: null, userEmail: user.email };
    await createToken(client, nowhere);
    await revokeToken(client, token.id);
    await make({ userEmail: user.email });
    expect(await refusal(make({ userEmail: user.email }))).toBe(message);

    await client.apiToken.createMany({
      data: rows.map((row) => ({ ...row, tenantId: null, hash: randomBytes(32) })),
    });
    const elsewhere = await Promise.allSettled(Array.from({ length: 8 }, () => createToken(client, nowhere)));
    expect(elsewhere.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  });

  it('stay revoked, and can be revoked only once', async () => {
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
