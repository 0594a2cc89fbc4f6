import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeTenant, removeUser } from '../../src/identity/index.ts';
import { startService, type Answer, type Service } from '../harness.ts';
import { makeTestTenant } from '../test-tenants/make.ts';
import { openBrowser, signedIn, type Browser } from './browser.ts';

// POST /api/auth/test-token: the token of a reader's own test tenant, for the samples of the documentation.

let service: Service;
let ada: Awaited<ReturnType<typeof signedIn>>;
let testId: string;

beforeAll(async () => {
  service = await startService({ trustedProxies: 1, corsOrigins: ['https://app.example'] });
});
afterAll(() => service.close());
beforeEach(async () => {
  ada = await signedIn(service);
  testId = await makeTestTenant(service, ada, 'Try');
  await service.client.membership.create({ data: { tenantId: testId, userId: ada.userId } });
});

const ask = (browser: Browser, headers?: Record<string, string>): Promise<Answer> =>
  browser.request('POST', '/api/auth/test-token', {}, headers);
const countTokens = () => service.client.apiToken.count({ where: { userId: ada.userId } });

describe('a reader who is signed in', () => {
  it('gets a token of their newest test tenant, for a day, which nothing shows again', async () => {
    const { status, body, headers } = await ask(ada.browser);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      token: expect.stringMatching(/^kontor_test_/),
      tenant: { id: testId, name: 'Try' },
      userId: ada.userId,
      expiresAt: expect.any(String),
    });
    const me = await service.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${body.token}` } });
    expect(me.body.data.tenant).toMatchObject({ id: testId, test: true });
    const [row, ...others] = await service.client.apiToken.findMany({ where: { userId: ada.userId } });
    expect([row?.tenantId, others]).toEqual([testId, []]);
    const hours = (row!.expiresAt!.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
  });

  it('gets none without a test tenant that is open and theirs, and never one of real books', async () => {
    const colleague = await signedIn(service, ada.tenantId); // of the tenant, and not of its test tenant
    expect((await ask(colleague.browser)).status).toBe(404);
    expect(await service.client.apiToken.count({ where: { userId: colleague.userId } })).toBe(0);

    await closeTenant(service.client, testId);
    expect([(await ask(ada.browser)).status, await countTokens()]).toEqual([404, 0]);

    const bob = await signedIn(service);
    const other = await makeTestTenant(service, bob);
    await service.client.membership.create({ data: { tenantId: other, userId: bob.userId } });
    await removeUser(service.client, { email: bob.email, tenantId: bob.tenantId });
    expect((await ask(bob.browser)).status).not.toBe(200);
    expect(await service.client.apiToken.count({ where: { userId: bob.userId } })).toBe(0);
  });

  it('is refused the 101st', async () => {
    const hash = (at: number): Buffer<ArrayBuffer> => Buffer.from(`${ada.userId} ${at}`);
    const common = { tenantId: testId, userId: ada.userId, name: 'x', abilities: ['*'], lastFour: '0000' };
    await service.client.apiToken.createMany({
      data: Array.from({ length: 100 }, (_, at) => ({ ...common, hash: hash(at) })),
    });
    const { status, body } = await ask(ada.browser);
    expect([status, body.details]).toMatchObject([422, [{ code: 'limit_reached' }]]);
  });
});

describe('nobody else', () => {
  it.each<[string, Record<string, string>]>([
    ['a page of another origin', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another host of our site', { 'sec-fetch-site': 'same-site' }],
    ['an allowed origin of the API', { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' }],
    ['a page of another origin in an old browser', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['a sandboxed frame', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['a form', { 'x-requested-with': '', 'content-type': 'application/x-www-form-urlencoded' }],
  ])('gets one: %s', async (_who, headers) => {
    const { status, text, headers: answered } = await ask(ada.browser, headers);
    expect([status, await countTokens()]).toEqual([403, 0]);
    expect(text).not.toContain('kontor_test_');
    expect(answered.get('access-control-allow-credentials')).toBeNull();
  });

  it('gets one: a reader who is not signed in, an ended session, a GET', async () => {
    expect((await ask(openBrowser(service))).status).toBe(401);
    const { cookie } = ada.browser;
    await ada.browser.request('POST', '/api/auth/sign-out', {});
    expect((await ask(Object.assign(openBrowser(service), { cookie }))).status).toBe(401);
    expect((await ada.browser.request('GET', '/api/auth/test-token')).status).toBe(405);
    expect(await countTokens()).toBe(0);
  });
});

it('a guide is the same for each reader, can be cached, and can’t be framed', async () => {
  const stranger = await openBrowser(service).request('GET', '/docs/quick-start');
  const reader = await ada.browser.request('GET', '/docs/quick-start');
  expect(reader.text).toBe(stranger.text);
  const of = ({ headers }: Answer) => [
    headers.get('cache-control'),
    headers.get('vary'),
    headers.getSetCookie(),
    headers.get('x-frame-options'),
    headers.get('content-security-policy')?.replace(/nonce-[^']+/, 'nonce'),
  ];
  expect(of(reader)).toEqual(of(stranger));
  expect(of(reader).slice(0, 1)).toEqual(['no-cache']);
  expect(reader.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(reader.headers.get('x-frame-options')).toBe('DENY');
});
