import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRateLimiter, postgresStore } from '../../src/security/rate-limit.ts';
import { changePassword, createToken, openSession, revokeToken, verifyPassword } from '../../src/identity/index.ts';
import { createDatabase, startService, type Database, type Service } from '../harness.ts';
import { makeBulkOperation, makeWrittenExport } from '../resources.ts';
import { getCode, enter, openBrowser, password, signedIn, makeUser, type Browser } from './browser.ts';

let database: Database;
let service: Service;
/** Another process on the same database. */
let other: Service;

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database, trustedProxies: 1 });
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

const whoami = '{ me { user { id email } tenant { id } tenants { id name } token { id } } }';
const statusOf = async (browser: Browser): Promise<number> => (await browser.graphql(whoami)).status;

describe('signing in by e-mail and password', () => {
  it('starts a session that GraphQL accepts', async () => {
    const { userId, email, tenantId } = await makeUser(service);
    const browser = openBrowser(service);
    const answer = await browser.signIn(` ${email.toUpperCase()} `);
    expect(answer.status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    expect(answer.body).toEqual({
      user: { id: userId, name: 'Ada', email },
      session: { id: expect.any(String), createdAt: time, expiresAt: time },
    });
    expect((await browser.request('GET', '/api/auth/get-session')).body).toEqual(answer.body);
    const acme = { id: tenantId, name: 'Acme' };
    const { body, headers } = await browser.graphql(whoami);
    expect(body.data.me).toEqual({
      user: { id: userId, email },
      tenant: { id: tenantId },
      tenants: [acme],
      token: null,
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('answers a wrong password and an unknown address with the same bytes, and sets no cookie', async () => {
    const { email } = await makeUser(service);
    const answers = [];
    for (const [address, withPassword] of [
      [email, 'wrong horse battery staple'],
      [email, ''],
      ['nobody@example.com', password],
    ] as const) {
      const { status, headers, body } = await openBrowser(service).signIn(address, withPassword);
      expect(headers.getSetCookie()).toEqual([]);
      const { request_id: _id, ...rest } = body;
      const names = [...headers.keys()].toSorted();
      answers.push({ status, rest, names, length: headers.get('content-length') });
    }
    expect(answers[0]).toMatchObject({
      status: 401,
      rest: { message: 'The e-mail address or the password is not right.' },
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('fails for a user without a password, and gives a user without a tenant no access to GraphQL', async () => {
    const { tenantId, userId } = await makeUser(service);
    await service.client.user.update({ where: { id: userId }, data: { passwordHash: null } });
    const { email } = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
    expect((await openBrowser(service).signIn(email, '')).status).toBe(401);

    const alone = await signedIn(service);
    await service.client.membership.deleteMany({ where: { userId: alone.userId } });
    expect((await alone.browser.request('GET', '/api/auth/get-session')).body.user.id).toBe(alone.userId);
    const refused = await alone.browser.graphql(whoami);
    expect([refused.status, getCode(refused)]).toEqual([403, 'FORBIDDEN']);
    const elsewhere = await alone.browser.graphql(whoami, {}, tenantId);
    expect([elsewhere.status, getCode(elsewhere)]).toEqual([403, 'FORBIDDEN']);
  });

  it.each([
    ['no body', undefined],
    ['no password', { email: 'ada@example.com' }],
    ['no address', { email: 'ada', password }],
    ['numbers', { email: 1, password: 2 }],
    ['a list', []],
    ['NUL', { email: 'ada\0@example.com', password }],
    ['a very long password', { email: 'ada@example.com', password: 'x'.repeat(2000) }],
  ])('%s: 422', async (_what, body) => {
    const answer = await openBrowser(service).request('POST', '/api/auth/sign-in/email', body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors).length).toBeGreaterThan(0);
    expect(JSON.stringify(answer.body.errors)).not.toMatch(/invalid input|expected|too big/i);
  });

  it('has no open sign-up, and no other endpoint', async () => {
    const input = { email: 'new@example.com', password, name: 'New' };
    for (const path of ['sign-up/email', 'sign-in/social', 'forget-password', 'update-user', 'delete-user', 'x', '']) {
      expect((await openBrowser(service).request('POST', `/api/auth/${path}`, input)).status).toBe(404);
    }
    expect((await openBrowser(service).request('GET', '/api/auth/sign-in/email')).status).toBe(405);
  });

  it('is logged with the client’s address and the user, and without the input', async () => {
    const { email, userId } = await makeUser(service);
    const from = service.log.length;
    await openBrowser(service).signIn(email, 'wrong horse battery staple');
    await openBrowser(service).signIn(email);
    const lines = service.log.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>);
    const address = expect.stringMatching(/^10\./);
    expect(lines.filter(({ msg }) => msg === 'sign-in')).toEqual([
      expect.objectContaining({ address, outcome: 'rejected' }),
      expect.objectContaining({ address, outcome: 'entered', userId }),
    ]);
    expect(JSON.stringify(lines)).not.toContain(email);
  });
});

describe('the cookie', () => {
  it('is HttpOnly, SameSite=Strict, for all paths, and lasts as long as the session', async () => {
    const { email } = await makeUser(service);
    const [cookie] = (await openBrowser(service).signIn(email)).headers.getSetCookie();
    expect(cookie).toMatch(/^kontor=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('is Secure over HTTPS, with a name that other hosts can’t set', async () => {
    const secure = await startService({ database, publicUrl: 'https://books.example', trustedProxies: 1 });
    const { email } = await makeUser(service);
    const browser = openBrowser(secure);
    const [cookie] = (await browser.signIn(email)).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-kontor=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(await statusOf(browser)).toBe(200);
    browser.cookie = browser.cookie?.replace('__Host-', '');
    expect(await statusOf(browser), 'by the name that others could set').toBe(401);
    await secure.close();
  });

  it('is stored only as a hash', async () => {
    const { browser, userId } = await signedIn(service);
    const value = browser.cookie?.split('=')[1] ?? '';
    const [session] = await service.client.session.findMany({ where: { userId } });
    expect(Buffer.from(session!.hash)).toEqual(createHash('sha256').update(value).digest());
  });

  it('is new for each session, and the browser’s old session ends', async () => {
    const { browser, email, userId } = await signedIn(service);
    const old = browser.cookie;
    await browser.signIn(email);
    expect(browser.cookie).not.toBe(old);
    expect(await service.client.session.count({ where: { userId } })).toBe(1);
    const stale = openBrowser(service);
    stale.cookie = old;
    expect(await statusOf(stale)).toBe(401);

    const planted = openBrowser(service);
    planted.cookie = `kontor=${'A'.repeat(43)}`;
    expect((await planted.signIn(email)).status).toBe(200);
    expect(planted.cookie).not.toContain('AAAA');
  });

  it.each(['kontor=', 'kontor=x', `kontor=${'A'.repeat(43)}`, 'kontor=%00', `kontor=${'ü'}`, `x=${'y'.repeat(4000)}`])(
    '%s: 401',
    async (cookie) => {
      const browser = openBrowser(service);
      browser.cookie = Buffer.from(cookie).toString('latin1');
      expect(await statusOf(browser)).toBe(401);
      expect((await browser.request('GET', '/api/auth/get-session')).body).toBeNull();
    },
  );

  it('is not accepted by REST, and is ignored beside a token', async () => {
    const { browser } = await signedIn(service);
    expect((await browser.request('GET', '/api/v1/me')).status).toBe(401);
    const answer = await browser.request('POST', '/graphql', { query: whoami }, { authorization: 'Bearer x' });
    expect(answer.status).toBe(401);
  });

  it('reads the file of an export, of the tenant in the query, for a member and our own pages only', async () => {
    const acme = await service.integrator();
    const id = await makeWrittenExport(service, acme);
    const { browser, tenantId: own } = await signedIn(service, (await service.integrator()).tenantId, acme.tenantId);
    const read = (path: string, headers = {}) => browser.request('GET', `/api/v1/exports/${path}`, undefined, headers);
    const file = await read(`${id}/file?tenant=${acme.tenantId}`);
    expect([file.status, file.text, file.headers.get('content-disposition')]).toEqual([
      200,
      'x',
      'attachment; filename=invoices.csv',
    ]);
    expect((await read(`${id}/file`, { 'x-tenant': acme.tenantId })).status).toBe(200);
    // The header says it where both do.
    expect((await read(`${id}/file?tenant=${acme.tenantId}`, { 'x-tenant': own })).status).toBe(404);
    expect((await read(`${id}/file`)).status).toBe(404);
    expect((await read(`${id}/file?tenant=${acme.tenantId}`, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await read(`${id}?tenant=${acme.tenantId}`)).status).toBe(401);
    const post = await browser.request('POST', `/api/v1/exports/${id}/file?tenant=${acme.tenantId}`, {});
    expect(post.status).toBe(401);
    const stranger = (await signedIn(service)).browser;
    const refused = await stranger.request('GET', `/api/v1/exports/${id}/file?tenant=${acme.tenantId}`);
    expect(refused.status).toBe(403);
  });

  it('reads the results of a bulk operation as it reads the file of an export, and nothing else of it', async () => {
    const acme = await service.integrator();
    const id = await makeBulkOperation(acme, { status: 'COMPLETED', slot: null, finishedAt: new Date() });
    const refused = { line: 1, status: 422, message: '<script>' };
    const content = new Uint8Array(zstdCompressSync(`${JSON.stringify(refused)}\n`));
    await acme.db.bulkChunk.updateMany({ data: { done: true, failedLines: 1, content } });
    const { browser, tenantId: own } = await signedIn(service, (await service.integrator()).tenantId, acme.tenantId);
    const path = `/api/v1/bulk-operations/${id}`;
    const results = `${path}/results?failed=true&tenant=${acme.tenantId}`;
    const read = (at: string, headers = {}) => browser.request('GET', at, undefined, headers);
    const file = await read(results);
    expect([file.status, JSON.parse(file.text)]).toEqual([200, refused]);
    // A browser shows it as no page, whatever it has.
    expect([file.headers.get('content-type'), file.headers.get('x-content-type-options')]).toEqual([
      'application/jsonl',
      'nosniff',
    ]);
    expect((await read(`${path}/results`, { 'x-tenant': acme.tenantId })).status).toBe(200);
    // The header says it where both do.
    expect((await read(results, { 'x-tenant': own })).status).toBe(404);
    // By default, it is one of the user's own tenant.
    expect((await read(`${path}/results`)).status).toBe(404);
    for (const site of ['cross-site', 'same-site'])
      expect((await read(results, { 'sec-fetch-site': site })).status).toBe(403);
    for (const [method, at] of [
      ['GET', `${path}?tenant=${acme.tenantId}`],
      ['GET', `/api/v1/bulk-operations?tenant=${acme.tenantId}`],
      ['POST', results],
      ['POST', `${path}/cancel?tenant=${acme.tenantId}`],
      ['GET', `/api/v1/customers/${id}/results?tenant=${acme.tenantId}`],
    ] as const)
      expect([method, at, (await browser.request(method, at, method === 'POST' ? {} : undefined)).status]).toEqual([
        method,
        at,
        401,
      ]);
    const stranger = (await signedIn(service)).browser;
    expect((await stranger.request('GET', results)).status).toBe(403);
    expect((await stranger.request('GET', `${path}/results`)).status).toBe(404);
    await browser.request('POST', '/api/auth/sign-out', {});
    expect((await read(results)).status).toBe(401);
  });
});

describe('a session ends', () => {
  const at = (minutes: number): void => {
    service.clock.now = new Date(Date.UTC(2030, 0, 1, 0, minutes));
  };

  it('30 minutes after its last request', async () => {
    at(0);
    const { browser, userId } = await signedIn(service);
    const seen = async (): Promise<number> =>
      (await service.client.session.findFirstOrThrow({ where: { userId } })).lastSeenAt.getUTCMinutes();
    at(29);
    expect(await statusOf(browser)).toBe(200);
    await expect.poll(seen).toBe(29);
    at(58);
    expect((await browser.request('GET', '/api/auth/get-session')).body).not.toBeNull();
    at(59);
    expect((await browser.request('GET', '/api/auth/get-session')).body).toBeNull();
    expect(await statusOf(browser)).toBe(401);
  });

  it('after 12 hours, also if in use', async () => {
    at(0);
    const { browser, userId } = await signedIn(service);
    for (let minutes = 29; minutes < 720; minutes += 29) {
      at(minutes);
      expect(await statusOf(browser)).toBe(200);
      const now = service.clock.now!;
      await expect
        .poll(async () => (await service.client.session.findFirstOrThrow({ where: { userId } })).lastSeenAt)
        .toEqual(now);
    }
    at(720);
    expect(await statusOf(browser)).toBe(401);
  });

  it('when its user signs out, at once in every process, and no other session does', async () => {
    const { browser, email } = await signedIn(service);
    const elsewhere = await enter(other, { email });
    const copy = openBrowser(other);
    copy.cookie = browser.cookie;
    expect(await statusOf(copy)).toBe(200);
    const answer = await browser.request('POST', '/api/auth/sign-out');
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^kontor=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await statusOf(copy)).toBe(401);
    expect(await statusOf(elsewhere)).toBe(200);
    expect((await browser.request('POST', '/api/auth/sign-out')).status, 'again').toBe(200);
  });

  it('when its user signs out everywhere, with all others of the user', async () => {
    const stranger = await signedIn(service);
    const { browser, email } = await signedIn(service);
    const others = [await enter(other, { email }), await enter(service, { email })];
    expect((await browser.request('POST', '/api/auth/revoke-sessions')).status).toBe(200);
    for (const each of others) expect(await statusOf(each)).toBe(401);
    expect(await statusOf(stranger.browser)).toBe(200);
  });
});

describe('changing the password', () => {
  const next = 'another horse, another battery';
  const change = (browser: Browser, currentPassword: string, newPassword: string) =>
    browser.request('POST', '/api/auth/change-password', { currentPassword, newPassword });

  it('requires the old one, ends all sessions, and starts a new one', async () => {
    const { browser, email } = await signedIn(service);
    const elsewhere = await enter(other, { email });
    const old = browser.cookie;
    const answer = await change(browser, password, next);
    expect([answer.status, answer.body.user.email]).toEqual([200, email]);
    expect(browser.cookie).not.toBe(old);
    expect(await statusOf(browser)).toBe(200);
    expect(await statusOf(elsewhere)).toBe(401);
    const stale = openBrowser(service);
    stale.cookie = old;
    expect(await statusOf(stale)).toBe(401);
    expect((await openBrowser(service).signIn(email)).status).toBe(401);
    expect((await openBrowser(service).signIn(email, next)).status).toBe(200);
  });

  it('revokes API tokens of all tenants in every process if asked to; by default they stay', async () => {
    const { browser, email, tenantId } = await signedIn(service);
    const tokens = [
      await createToken(service.client, { tenantId }),
      await createToken(service.client, { tenantId: null, userEmail: email }),
    ];
    const colleague = await makeUser(service, tenantId);
    const theirs = await createToken(service.client, { tenantId, userEmail: colleague.email });
    await revokeToken(service.client, (await createToken(service.client, { tenantId, userEmail: email })).id);
    const statuses = () =>
      Promise.all(
        [...tokens, theirs].map(
          async ({ token }) =>
            (await other.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${token}` } })).status,
        ),
      );
    expect((await change(browser, password, next)).body.revokedTokens).toBe(0);
    expect(await statuses()).toEqual([200, 403, 200]);
    const body = { currentPassword: next, newPassword: password, revokeTokens: true };
    const answer = await browser.request('POST', '/api/auth/change-password', body);
    expect([answer.status, answer.body.revokedTokens]).toEqual([200, 2]);
    expect(await statuses()).toEqual([401, 401, 200]);
    const wrong = await browser.request('POST', '/api/auth/change-password', { ...body, revokeTokens: 'yes' });
    expect([wrong.status, wrong.body.errors]).toEqual([422, { revokeTokens: ['Must be true or false.'] }]);
  });

  it.each([
    ['wrong old one', 'wrong horse battery staple', next, 'currentPassword', /not your password/],
    ['shorter than 12 characters', password, 'short horse', 'newPassword', /at least 12 characters/],
    ['longer than 128', password, 'x'.repeat(129), 'newPassword', /at most 128 characters/],
    ['one of the most common', password, 'Qwerty123456', 'newPassword', /most common/],
  ])('%s: 422, and nothing changes', async (_what, old, wanted, field, message) => {
    const { browser, email } = await signedIn(service);
    const answer = await change(browser, old, wanted);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual({ [field]: [expect.stringMatching(message)] });
    expect(await statusOf(browser)).toBe(200);
    expect((await openBrowser(service).signIn(email)).status).toBe(200);
  });

  it('answers 401 without a session', async () => {
    expect((await change(openBrowser(service), password, next)).status).toBe(401);
  });

  it('counts for nothing that was checked before it: no sign-in, and no other change', async () => {
    const { email, userId } = await makeUser(service);
    const checked = await verifyPassword(service.client, email, password);
    if (!checked) throw new Error('The password is right');
    const browser = { userAgent: null, now: new Date() };
    const changeTo = (newPassword: string) =>
      changePassword(service.client, checked, { newPassword, revokeTokens: false, address: '127.0.0.1' }, browser);
    expect(await changeTo(next)).not.toBeNull();
    expect(await changeTo('a third horse, a third battery')).toBeNull();
    expect(await openSession(service.client, checked, browser)).toBeNull();
    expect(await service.client.session.count({ where: { userId } })).toBe(1);
    expect((await openBrowser(service).signIn(email, next)).status).toBe(200);
  });

  it('leaves no session of a concurrent sign-in with the old one', async () => {
    const { browser, email, userId } = await signedIn(service);
    const signingIn = Array.from({ length: 8 }, () => openBrowser(service)).map(async (each) => {
      await each.signIn(email);
      return each;
    });
    expect((await change(browser, password, next)).status).toBe(200);
    await Promise.all(signingIn);
    expect(await service.client.session.count({ where: { userId } })).toBe(1);
    expect(await statusOf(browser)).toBe(200);
  });
});

describe('limits', () => {
  it('allow each dashboard session 600 requests in any 60 seconds', async () => {
    const limited = await startService({
      database,
      trustedProxies: 1,
      limiter: (pool) => createRateLimiter({ limit: 60, store: postgresStore(pool) }),
    });
    const { browser, email } = await signedIn(limited);
    const asked = Array.from({ length: 620 }, () => browser.graphql('{ __typename }'));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    const refused = await browser.graphql('{ __typename }');
    expect([refused.status, getCode(refused)]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('600');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusOf(await enter(limited, { email }))).toBe(200);
    await limited.close();
  });
});
