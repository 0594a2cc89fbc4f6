import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeTenant, createTenant, createUser } from '../../src/identity/index.ts';
import { createDatabase, startService, type Answer, type Database, type Service } from '../harness.ts';
import { codeOf, enter, openBrowser, password, signedIn, someone, type Browser } from './browser.ts';

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

describe('an invitation', () => {
  it('is a link, shown once, that tells its bearer who invites whom, where to', async () => {
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
      hasAccount: false,
    });
    expect((await browser.graphql(list)).body.data.invitations).toEqual([
      { id: invitation.id, email: 'bob@example.com', createdAt: time, expiresAt: time, invitedBy: { email: inviter } },
    ]);
  });

  it('makes a new user, signed in, a member of the tenant; once', async () => {
    const { browser, tenantId } = await signedIn(service);
    const { token, email } = await invited(browser);
    const bob = openBrowser(service);
    const answer = await accept({ token, ...asNew, name: ' Bob ' }, bob);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      user: { id: expect.any(String), name: 'Bob', email },
      session: expect.objectContaining({ id: expect.any(String) }),
      tenant: { id: tenantId, name: 'Acme' },
    });
    expect((await bob.graphql('{ me { tenant { id } } }')).body.data.me.tenant.id).toBe(tenantId);
    expect((await enter(other, { email })).cookie).toBeDefined();
    expect((await browser.graphql(list)).body.data.invitations).toEqual([]);
    for (const again of [await look(token), await accept({ token, ...asNew })]) {
      expect([again.status, again.body.message]).toEqual([404, 'Not found.']);
    }
  });

  it('twenty who accept it at once, in two processes: one does', async () => {
    const { browser, tenantId } = await signedIn(service);
    const { token } = await invited(browser);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        accept({ token, name: `Bob ${i}`, password }, openBrowser(i % 2 ? service : other)),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 403, 404]).toContain(status);
    expect(await service.client.membership.count({ where: { tenantId } })).toBe(2);
  });

  it('accepted at once in two browsers of one user: once', async () => {
    const bob = await signedIn(service);
    const browsers = [bob.browser, await enter(other, bob)];
    for (let round = 0; round < 5; round++) {
      const { browser: inviter } = await signedIn(service);
      const { token } = await invited(inviter, bob.email);
      const answers = await Promise.all([...browsers, ...browsers].map((each) => accept({ token }, each)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
    }
  });

  it('for a user there is: only they accept it, signed in', async () => {
    const { browser, tenantId } = await signedIn(service);
    const bob = await signedIn(service);
    const { token } = await invited(browser, bob.email);
    expect((await look(token)).body).toMatchObject({ email: bob.email, hasAccount: true });
    const stranger = await signedIn(service);
    for (const by of [openBrowser(service), stranger.browser, browser]) {
      const refused = await accept({ token, ...asNew, name: 'Mallory' }, by);
      expect([refused.status, refused.body.message]).toEqual([403, `Sign in as ${bob.email} to accept.`]);
    }
    expect((await openBrowser(service).signIn(bob.email)).status, 'the password is what it was').toBe(200);
    const cookie = bob.browser.cookie;
    const answer = await accept({ token }, bob.browser);
    expect([answer.status, answer.body.tenant.id]).toEqual([200, tenantId]);
    expect(bob.browser.cookie).toBe(cookie);
    expect((await bob.browser.graphql('{ me { tenant { id } } }', {}, tenantId)).status).toBe(200);
    expect((await accept({ token }, bob.browser)).status).toBe(404);
  });

  it('for a user without a password gives nobody a way to set one', async () => {
    const { browser } = await signedIn(service);
    const email = someEmail();
    await createUser(service.client, { email, tenantId: (await createTenant(service.client, { name: 'Other' })).id });
    const { token } = await invited(browser, email);
    expect((await accept({ token, ...asNew })).status).toBe(403);
    const user = await service.client.user.findUniqueOrThrow({ where: { email } });
    expect(user.passwordHash).toBeNull();
  });

  it('whose address is taken meanwhile stays, for who has it', async () => {
    const [acme, globex] = [await signedIn(service), await signedIn(service)];
    const email = someEmail();
    const tokens = [(await invited(acme.browser, email)).token, (await invited(globex.browser, email)).token];
    const bobs = tokens.map(() => openBrowser(service));
    const answers = await Promise.all(tokens.map((token, i) => accept({ token, ...asNew }, bobs[i])));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await accept({ token: tokens[1 - winner] }, bobs[winner])).status).toBe(200);
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

  it('ends when revoked, when the same address is invited anew, and when the tenant is closed', async () => {
    const { browser, tenantId } = await signedIn(service);
    const revoked = await invited(browser);
    expect((await browser.graphql(revoke, revoked)).body.data.revokeInvitation).toEqual({ email: revoked.email });
    expect(codeOf(await browser.graphql(revoke, revoked))).toBe('NOT_FOUND');
    const first = await invited(browser);
    const second = await invited(browser, first.email);
    for (const { token } of [revoked, first]) expect((await look(token)).status).toBe(404);
    expect((await look(second.token)).status).toBe(200);
    expect((await browser.graphql(list)).body.data.invitations).toHaveLength(1);
    await closeTenant(service.client, tenantId);
    expect((await look(second.token)).status).toBe(404);
    expect((await accept({ token: second.token, ...asNew })).status).toBe(404);
  });

  it('is the tenant’s own: others neither see nor revoke it', async () => {
    const [acme, globex] = [await signedIn(service), await signedIn(service)];
    const { id, token } = await invited(acme.browser);
    expect((await globex.browser.graphql(list)).body.data.invitations).toEqual([]);
    expect(codeOf(await globex.browser.graphql(revoke, { id }))).toBe('NOT_FOUND');
    expect((await look(token)).status).toBe(200);
  });

  it('is not for a member, nor for what is no address', async () => {
    const { browser, tenantId } = await signedIn(service);
    const { email } = await someone(service, tenantId);
    for (const [to, message] of [
      [email.toUpperCase(), `User ${email} is a member of this tenant already.`],
      ['bob', 'Must be an e-mail address.'],
    ]) {
      const { body } = await browser.graphql(invite, { email: to });
      expect(body.errors[0].extensions).toEqual({ code: 'VALIDATION_FAILED', errors: { email: [message] } });
    }
  });

  it.each([
    [{ password }, { name: ['Required.'] }],
    [{ name: ' ', password }, { name: ['Must not be empty.'] }],
    [{ name: 'Bob', password: 'short' }, { password: ['The password must have at least 12 characters.'] }],
    [{ name: 'Bob', password: 'unbelievable' }, { password: [expect.stringMatching(/most common/)] }],
    [{ name: 'Bob', password: 1 }, { password: ['Must be a string.'] }],
    [{}, { name: ['Required.'], password: ['Required.'] }],
  ])('%o: 422, and it can still be accepted', async (input, errors) => {
    const { browser } = await signedIn(service);
    const { token } = await invited(browser);
    const answer = await accept({ token, ...input });
    expect([answer.status, answer.body.errors]).toEqual([422, errors]);
    expect((await accept({ token, ...asNew })).status).toBe(200);
  });

  it('accepted as a new user in a browser where another is signed in: the other’s session there ends', async () => {
    const { browser, userId } = await signedIn(service);
    const { token, email } = await invited(browser);
    await accept({ token, ...asNew }, browser);
    expect((await browser.request('GET', '/api/auth/get-session')).body.user.email).toBe(email);
    expect(await service.client.session.count({ where: { userId } })).toBe(0);
  });
});

it.each(['', 'x', 'A'.repeat(43), "' or true --"])('%o is no invitation', async (token) => {
  expect((await look(token)).status).toBe(404);
  expect((await accept({ token, ...asNew })).status).toBe(404);
});
