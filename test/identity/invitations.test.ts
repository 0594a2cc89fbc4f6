import { randomBytes, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { acceptInvitation, closeTenant, createTenant, createUser, removeUser } from '../../src/identity/index.ts';
import { NotFoundError } from '../../schema/errors/errors.ts';
import { createDatabase, startService, type Answer, type Database, type Service } from '../harness.ts';
import { isOverhead } from '../isolation/statements.ts';
import { startRecording } from '../versions/recording.ts';
import { until } from '../webhooks/receiver.ts';
import { getCode, enter, openBrowser, password, signedIn, makeUser, type Browser } from './browser.ts';

vi.mock(import('@node-rs/argon2'), async (original) => {
  const actual = await original();
  return { ...actual, hash: vi.fn<typeof actual.hash>(actual.hash) };
});

let database: Database;
let service: Service;
/** Another process on the same database. */
let other: Service;

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database, publicUrl: 'http://books.example/kontor', trustedProxies: 1 });
  other = await startService({ database, trustedProxies: 1 });
});
afterEach(() => {
  service.clock.now = undefined;
});
afterAll(async () => {
  await service.close();
  await other.close();
  await database.drop();
});

const someEmail = (): string => `${randomUUID()}@example.com`;
const invite = 'mutation ($email: String!) { inviteMember(email: $email) { link invitation { id email } } }';
const list = '{ invitations { id email expiresAt createdAt invitedBy { email } } }';
const revoke = 'mutation ($id: UUID!) { revokeInvitation(id: $id) { email } }';

interface Invited {
  id: string;
  email: string;
  token: string;
}

async function invited(by: Browser, email = someEmail()): Promise<Invited> {
  const { link, invitation } = (await by.graphql(invite, { email })).body.data.inviteMember;
  return { ...invitation, token: link.split('/').at(-1) };
}

const look = (token: string, by = openBrowser(service)): Promise<Answer> =>
  by.request('POST', '/api/auth/invitation', { token });
const accept = (body: object, by = openBrowser(service)): Promise<Answer> =>
  by.request('POST', '/api/auth/invitation/accept', body);
const asNew = { name: 'Bob', password };

/** Makes the account, signs in with it, and accepts: what the dashboard does for who is new. */
async function joinAsNew(token: string, email: string, by = openBrowser(service)): Promise<Answer> {
  expect((await accept({ token, ...asNew }, by)).status).toBe(202);
  expect((await by.signIn(email)).status).toBe(200);
  return accept({ token }, by);
}

describe('an invitation', () => {
  it('is a link, shown once, that shows who invites which address to which tenant', async () => {
    const { browser, email: inviter } = await signedIn(service);
    const { body } = await browser.graphql(invite, { email: ' Bob@Example.com ' });
    const { link, invitation } = body.data.inviteMember;
    expect(link).toMatch(/^http:\/\/books\.example\/kontor\/invitation\/[\w-]{43}$/);
    expect(invitation.email).toBe('bob@example.com');
    const time = expect.stringMatching(/\+00:00$/);
    expect((await look(link.split('/').at(-1))).body).toEqual({
      email: 'bob@example.com',
      tenant: { name: 'Acme' },
      invitedBy: 'Ada',
      expiresAt: time,
      hasAccount: null,
    });
    expect((await browser.graphql(list)).body.data.invitations).toEqual([
      { id: invitation.id, email: 'bob@example.com', createdAt: time, expiresAt: time, invitedBy: { email: inviter } },
    ]);
  });

  it('creates an account for a new user, whose session then joins the tenant, once', async () => {
    const { browser, tenantId, userId } = await signedIn(service);
    const { token, email } = await invited(browser);
    const bob = openBrowser(service);
    const made = await accept({ token, ...asNew, name: ' Bob ' }, bob);
    expect([made.status, made.body]).toEqual([
      202,
      {
        email,
        message: `Sign in as ${email} to accept. The password is the one you sent, unless there was an account already.`,
      },
    ]);
    expect(bob.cookie).toBeUndefined();
    expect(await service.client.user.findUniqueOrThrow({ where: { email } })).toMatchObject({
      name: 'Bob',
      emailVerifiedAt: null,
      invitedBy: userId,
      invitedTo: tenantId,
    });
    expect(await service.client.membership.count({ where: { tenantId } }), 'not before they accept').toBe(1);

    await bob.signIn(email);
    const answer = await accept({ token }, bob);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      user: { id: expect.any(String), name: 'Bob', email },
      session: expect.objectContaining({ id: expect.any(String) }),
      tenant: { id: tenantId, name: 'Acme' },
    });
    expect((await bob.graphql('{ me { tenant { id } } }')).body.data.me.tenant.id).toBe(tenantId);
    expect((await enter(other, { email })).cookie).toBeDefined();
    expect((await browser.graphql(list)).body.data.invitations).toEqual([]);
    for (const again of [await look(token), await accept({ token, ...asNew }), await accept({ token }, bob)]) {
      expect([again.status, again.body.message]).toEqual([404, 'Not found.']);
    }
  });

  it('creates one account, with one of the passwords, for ten concurrent requests to two processes', async () => {
    const { browser, tenantId } = await signedIn(service);
    const { token, email } = await invited(browser);
    const passwords = Array.from({ length: 10 }, (_, i) => `${password} ${i}`);
    const answers = await Promise.all(
      passwords.map((each, i) => accept({ token, name: 'Bob', password: each }, openBrowser(i % 2 ? service : other))),
    );
    expect(answers.map(({ status }) => status)).toEqual(passwords.map(() => 202));
    const statuses = [];
    for (const each of passwords) statuses.push((await openBrowser(service).signIn(email, each)).status);
    expect(statuses.toSorted()).toEqual([200, ...passwords.slice(1).map(() => 401)]);
    expect(await service.client.membership.count({ where: { tenantId } })).toBe(1);
  });

  it('allows ten attempts to create an account in 15 minutes, and answers 429 to more', async () => {
    const { browser } = await signedIn(service);
    const { token, email } = await invited(browser);
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, i) => accept({ token, ...asNew }, openBrowser(i % 2 ? service : other))),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await accept({ token }, await enter(service, { email }))).status, 'the account still accepts').toBe(200);
  });

  it('is accepted once by two concurrent requests of one user', async () => {
    const bob = await signedIn(service);
    const browsers = [bob.browser, await enter(other, bob)];
    for (let round = 0; round < 5; round++) {
      const { browser: inviter } = await signedIn(service);
      const { token } = await invited(inviter, bob.email);
      const answers = await Promise.all([...browsers, ...browsers].map((each) => accept({ token }, each)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
    }
  });

  it('for an existing user is accepted only by that user, signed in', async () => {
    const { browser, tenantId } = await signedIn(service);
    const bob = await signedIn(service);
    const { token } = await invited(browser, bob.email);
    expect((await look(token, bob.browser)).body).toMatchObject({ email: bob.email, hasAccount: true });
    const stranger = await signedIn(service);
    for (const by of [openBrowser(service), stranger.browser, browser]) {
      expect((await look(token, by)).body).toMatchObject({ email: bob.email, hasAccount: null });
      const refused = await accept({ token }, by);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        `Sign in as ${bob.email} to accept, or send a name and a password for a new account.`,
      ]);
      await accept({ token, name: 'Mallory', password: 'another horse, another battery' }, by);
    }
    // The address is checked again where the membership is written.
    const { userId } = await makeUser(service);
    const asAnother = acceptInvitation(service.client, { secret: token, userId, now: new Date() });
    await expect(asAnother).rejects.toThrow(NotFoundError);
    expect(await service.client.membership.count({ where: { tenantId, userId } })).toBe(0);
    expect((await openBrowser(service).signIn(bob.email)).status, 'the password is what it was').toBe(200);
    const cookie = bob.browser.cookie;
    const answer = await accept({ token, name: 'ignored' }, bob.browser);
    expect([answer.status, answer.body.tenant.id, answer.body.user.name]).toEqual([200, tenantId, 'Ada']);
    expect(bob.browser.cookie).toBe(cookie);
    expect((await bob.browser.graphql('{ me { tenant { id } } }', {}, tenantId)).status).toBe(200);
    expect((await accept({ token }, bob.browser)).status).toBe(404);
  });

  it('for a user without a password can’t be used to set one', async () => {
    const { browser } = await signedIn(service);
    const email = someEmail();
    await createUser(service.client, { email, tenantId: (await createTenant(service.client, { name: 'Other' })).id });
    const { token } = await invited(browser, email);
    expect((await accept({ token, ...asNew })).status).toBe(202);
    const user = await service.client.user.findUniqueOrThrow({ where: { email } });
    expect(user.passwordHash).toBeNull();
    expect((await openBrowser(service).signIn(email)).status).toBe(401);
  });

  it('to two tenants creates one account, which accepts both', async () => {
    const [acme, globex] = [await signedIn(service), await signedIn(service)];
    const email = someEmail();
    const tokens = [(await invited(acme.browser, email)).token, (await invited(globex.browser, email)).token];
    const bob = openBrowser(service);
    for (const token of tokens) expect((await accept({ token, ...asNew }, bob)).status).toBe(202);
    await bob.signIn(email);
    for (const token of tokens) expect((await accept({ token }, bob)).status).toBe(200);
    const { id: userId } = await service.client.user.findUniqueOrThrow({ where: { email } });
    expect(await service.client.membership.count({ where: { userId } })).toBe(2);
  });

  it('expires after seven days', async () => {
    const start = Date.UTC(2030, 0, 1);
    service.clock.now = new Date(start);
    const ada = await signedIn(service);
    const { token, email } = await invited(ada.browser);
    service.clock.now = new Date(start + 7 * 86_400_000 - 1);
    expect((await look(token)).status).toBe(200);
    service.clock.now = new Date(start + 7 * 86_400_000);
    expect((await look(token)).status).toBe(404);
    expect((await accept({ token, ...asNew })).status).toBe(404);
    expect((await (await enter(service, ada)).graphql(list)).body.data.invitations).toEqual([]);
    expect(await service.client.user.count({ where: { email } })).toBe(0);
  });

  it('ends when revoked, when the address is invited again, and when the tenant is closed', async () => {
    const { browser, tenantId } = await signedIn(service);
    const revoked = await invited(browser);
    expect((await browser.graphql(revoke, revoked)).body.data.revokeInvitation).toEqual({ email: revoked.email });
    expect(getCode(await browser.graphql(revoke, revoked))).toBe('NOT_FOUND');
    const first = await invited(browser);
    const second = await invited(browser, first.email);
    for (const { token } of [revoked, first]) expect((await look(token)).status).toBe(404);
    expect((await look(second.token)).status).toBe(200);
    expect((await browser.graphql(list)).body.data.invitations).toHaveLength(1);
    await closeTenant(service.client, tenantId);
    expect((await look(second.token)).status).toBe(404);
    expect((await accept({ token: second.token, ...asNew })).status).toBe(404);
  });

  it('is one of at most 100 open ones of a tenant, also when created concurrently; a new one to an address replaces the old one', async () => {
    const { browser, tenantId, email } = await signedIn(service);
    const known = await invited(browser);
    const [past, future] = [new Date(Date.now() - 1000), new Date(Date.now() + 86_400_000)];
    const row = (expiresAt: Date) => ({ tenantId, email: someEmail(), hash: randomBytes(32), expiresAt });
    const rows = [...Array.from({ length: 97 }, () => row(future)), ...Array.from({ length: 3 }, () => row(past))];
    await service.client.invitation.createMany({ data: rows });
    const browsers = [browser, await enter(other, { email })];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => browsers[i % 2]!.graphql(invite, { email: someEmail() })),
    );
    const refused = answers.filter((answer) => getCode(answer) !== undefined);
    expect(answers.length - refused.length).toBe(2);
    for (const { body } of refused) {
      expect(body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { email: ['A tenant can have 100 open invitations: revoke one that is no longer needed.'] },
      });
    }
    const again = await invited(browser, known.email);
    expect(getCode(await browser.graphql(invite, { email: someEmail() }))).toBe('VALIDATION_FAILED');
    await browser.graphql(revoke, again);
    expect(getCode(await browser.graphql(invite, { email: someEmail() }))).toBeUndefined();
  });

  it('can’t be seen or revoked by another tenant', async () => {
    const [acme, globex] = [await signedIn(service), await signedIn(service)];
    const { id, token } = await invited(acme.browser);
    expect((await globex.browser.graphql(list)).body.data.invitations).toEqual([]);
    expect(getCode(await globex.browser.graphql(revoke, { id }))).toBe('NOT_FOUND');
    expect((await look(token)).status).toBe(200);
  });

  it('is rejected for a member and for an invalid address', async () => {
    const { browser, tenantId } = await signedIn(service);
    const { email } = await makeUser(service, tenantId);
    for (const [to, message] of [
      [email.toUpperCase(), `User ${email} is a member of this tenant already.`],
      ['bob', 'Must be an e-mail address.'],
    ]) {
      const { body } = await browser.graphql(invite, { email: to });
      expect(body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: { email: [message] } });
    }
  });

  it.each([
    [{ password }, { name: ['Required.'] }],
    [{ name: ' ', password }, { name: ['Must not be empty.'] }],
    [{ name: 'Bob', password: 'short' }, { password: ['The password must have at least 12 characters.'] }],
    [{ name: 'Bob', password: 'unbelievable' }, { password: [expect.stringMatching(/most common/)] }],
    [{ name: 'Bob', password: 1 }, { password: ['Must be a string.'] }],
  ])('%o: 422, and it can still be accepted', async (input, errors) => {
    const { browser } = await signedIn(service);
    const { token, email } = await invited(browser);
    const answer = await accept({ token, ...input });
    expect([answer.status, answer.body.errors]).toEqual([422, errors]);
    expect((await joinAsNew(token, email)).status).toBe(200);
  });

  it('ends the session of another user in the browser that accepts it as a new user', async () => {
    const { browser, userId } = await signedIn(service);
    const { token, email } = await invited(browser);
    expect((await joinAsNew(token, email, browser)).status).toBe(200);
    expect((await browser.request('GET', '/api/auth/get-session')).body.user.email).toBe(email);
    expect(await service.client.session.count({ where: { userId } })).toBe(0);
  });
});

/** Waits until so many wait for a lock of another's. */
const waiting = (count: number): Promise<void> =>
  until(async () => {
    const { rowCount } = await service.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount === count;
  }, `${count} to wait for a lock`);

async function holding(sql: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const holder = await service.pool.connect();
  onTestFinished(() => holder.release(true));
  await holder.query('begin');
  await holder.query(sql, values);
  return async () => void (await holder.query('commit'));
}

describe('concurrently', () => {
  it('two invitations of one address both succeed, and the link of the later one works', async () => {
    const { browser } = await signedIn(service);
    const email = someEmail();
    const release = await holding('lock table invitations in exclusive mode');
    const answers = [browser.graphql(invite, { email }), browser.graphql(invite, { email })];
    await waiting(2);
    await release();
    const links = (await Promise.all(answers)).map(({ body }) => body.data?.inviteMember.link as string | undefined);
    const statuses = await Promise.all(links.map(async (link) => (await look(link?.split('/').at(-1) ?? '')).status));
    expect(statuses.toSorted()).toEqual([200, 404]);
    expect(links).toEqual([expect.any(String), expect.any(String)]);
  });

  it('accepting an invitation and inviting its address again leaves no open invitation of a member', async () => {
    const [ada, bob] = [await signedIn(service), await signedIn(service)];
    const { token, id } = await invited(ada.browser, bob.email);
    const release = await holding('select from invitations where id = $1 for update', [id]);
    const accepted = accept({ token }, bob.browser);
    await waiting(1);
    const invitedAnew = ada.browser.graphql(invite, { email: bob.email });
    await waiting(2);
    await release();
    expect((await accepted).status).toBe(200);
    expect((await invitedAnew).body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { email: [`User ${bob.email} is a member of this tenant already.`] },
    });
    expect((await ada.browser.graphql(list)).body.data.invitations).toEqual([]);
  });

  it('a member’s invitation ends, without an error, when the operator removes the member meanwhile', async () => {
    const { browser, email: inviter, tenantId } = await signedIn(service);
    const release = await holding('lock table invitations in exclusive mode');
    const answer = browser.graphql(invite, { email: someEmail() });
    await waiting(1);
    const removed = removeUser(service.client, { email: inviter, tenantId });
    await waiting(2);
    await release();
    expect((await answer).body.errors).toBeUndefined();
    await removed;
    expect(await service.client.invitation.count({ where: { tenantId } })).toBe(0);
  });
});

describe('whether an address has an account', () => {
  /** The values that may differ between two responses: the address, the tenant's end of the invitation, and the request's id. */
  const comparable = ({ status, headers, text }: Answer, email: string): object => ({
    status,
    headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name)),
    text: text.replaceAll(email, 'EMAIL').replace(/"(expiresAt|request_id)":"[^"]+"/g, '"$1":"…"'),
  });

  it('can’t be learned from any answer by the holder of a link', async () => {
    const { browser } = await signedIn(service);
    const [known, unknown] = [(await makeUser(service)).email, someEmail()];
    const stranger = (await signedIn(service)).browser;
    const bodies = [{}, asNew, asNew, { name: 'Bob' }, { password }, { name: 'Bob', password: 'short' }, { name: 1 }];
    const seen: object[][] = [];
    for (const email of [known, unknown]) {
      const { token } = await invited(browser, email);
      const answers: Answer[] = [];
      for (const by of [openBrowser(service), stranger]) {
        for (const body of bodies) answers.push(await look(token, by), await accept({ token, ...body }, by));
      }
      seen.push(answers.map((answer) => comparable(answer, email)));
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(JSON.stringify(seen[0])).not.toContain('"hasAccount":true');
  });

  it('can’t be learned from timing: the same statements are sent, and a password is hashed, in both cases', async () => {
    const { browser } = await signedIn(service);
    const [known, unknown] = [(await makeUser(service)).email, someEmail()];
    const statements: string[][] = [];
    for (const email of [known, unknown]) {
      const { token } = await invited(browser, email);
      const recording = startRecording();
      vi.mocked(hash).mockClear();
      expect((await accept({ token, ...asNew })).status).toBe(202);
      expect(vi.mocked(hash)).toHaveBeenCalledTimes(1);
      recording.end();
      statements.push(recording.asked.map(({ sql }) => sql).filter((sql) => !isOverhead(sql)));
    }
    expect(statements[0]).toEqual(statements[1]);
    expect(statements[0]?.filter((each) => /^(insert into|update) /i.test(each)).length).toBeGreaterThan(1);
  });
});

it.each(['', 'x', 'A'.repeat(43), "' or true --"])('%o is rejected as an invitation', async (token) => {
  expect((await look(token)).status).toBe(404);
  expect((await accept({ token, ...asNew })).status).toBe(404);
});
