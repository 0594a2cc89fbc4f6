import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forTenant } from '../../prisma/client.ts';
import { startService, type Service } from '../harness.ts';
import { password, signedIn, type Person } from './browser.ts';

let service: Service;
let cookie: string;
let ada: Person;

beforeAll(async () => {
  service = await startService({
    publicUrl: 'http://books.example',
    trustedProxies: 1,
    corsOrigins: ['https://app.example'],
  });
  const { browser, ...person } = await signedIn(service);
  ada = person;
  cookie = browser.cookie!;
});
afterAll(() => service.close());

/** Sends exactly these headers: fetch() would add some that tell where it comes from. */
function send(method: string, path: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = httpRequest(new URL(path, service.url), { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body);
  });
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const plain = { 'content-type': 'text/plain' };
const ours = { 'x-requested-with': 'kontor' };
const write = (name: string): string =>
  JSON.stringify({ query: `mutation { createCustomer(input: { type: CUSTOMER, companyName: "${name}" }) { id } }` });
const countOf = (name: string): Promise<number> =>
  forTenant(service.books, ada.tenantId).customer.count({ where: { companyName: name } });

describe('a mutation with a session cookie', () => {
  it.each<[string, Record<string, string>, number]>([
    ['JSON from our own page', { ...json, 'sec-fetch-site': 'same-origin' }, 200],
    ['JSON from our own page, old browser', { ...json, origin: 'http://books.example' }, 200],
    [
      'JSON from our own page by another name of ours',
      { ...json, origin: 'http://localhost:4000', host: 'localhost:4000' },
      200,
    ],
    ['JSON from a program', json, 200],
    ['JSON, with a charset', { 'content-type': 'application/json; charset=utf-8' }, 200],
    ['JSON from another site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
    ['JSON from another host of our site', { ...json, 'sec-fetch-site': 'same-site' }, 403],
    ['JSON from another site, old browser', { ...json, origin: 'https://evil.example' }, 403],
    ['JSON from our name at another scheme', { ...json, origin: 'https://books.example' }, 403],
    ['JSON from our name at another port', { ...json, origin: 'http://books.example:8080' }, 403],
    ['JSON from our name with a tail', { ...json, origin: 'http://books.example.evil.example' }, 403],
    ['JSON from a sandboxed frame', { ...json, origin: 'null' }, 403],
    ['JSON from an origin that CORS allows, which is for tokens', { ...json, origin: 'https://app.example' }, 403],
    [
      'what the browser says weighs more than an origin that looks right',
      { ...json, 'sec-fetch-site': 'cross-site', origin: 'http://books.example' },
      403,
    ],
    ['our header doesn’t excuse another site', { ...json, ...ours, 'sec-fetch-site': 'cross-site' }, 403],
    ['a form', form, 403],
    ['a form from our own page, without our header', { ...form, 'sec-fetch-site': 'same-origin' }, 403],
    ['text', plain, 403],
    ['text that pretends', { 'content-type': 'text/plain; application/json' }, 403],
    ['no type at all', {}, 403],
    ['an upload’s form', { 'content-type': 'multipart/form-data; boundary=x' }, 403],
    ['GraphQL’s own type', { 'content-type': 'application/graphql' }, 403],
    [
      'GraphQL’s own type with our header',
      { 'content-type': 'application/graphql-response+json', ...ours, 'sec-fetch-site': 'cross-site' },
      403,
    ],
  ])('%s', async (title, headers, status) => {
    const answer = await send(
      'POST',
      '/graphql',
      { ...headers, cookie, 'content-length': String(Buffer.byteLength(write(title))) },
      write(title),
    );
    expect(answer.status).toBe(status);
    if (status === 403) expect(JSON.parse(answer.text).errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await countOf(title)).toBe(status === 200 ? 1 : 0);
  });

  it('accepts an upload with our header, and reads nothing of one without', async () => {
    const body = [
      '--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{"query": "{ __typename }"}',
      '--x\r\ncontent-disposition: form-data; name="map"\r\n\r\n{}',
      '--x--\r\n',
    ].join('\r\n');
    const headers = {
      'content-type': 'multipart/form-data; boundary=x',
      cookie,
      'content-length': String(body.length),
    };
    expect((await send('POST', '/graphql', { ...headers, ...ours }, body)).status).not.toBe(403);
    expect((await send('POST', '/graphql', headers, body)).status).toBe(403);
  });

  it('is rejected by GET from any origin', async () => {
    const { query } = JSON.parse(write('by GET'));
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    for (const from of ['same-origin', 'none', 'cross-site']) {
      const { status } = await send('GET', path, { cookie, 'sec-fetch-site': from, accept: 'application/json' });
      expect([403, 405]).toContain(status);
    }
    expect(await countOf('by GET')).toBe(0);
  });

  it('a query by GET is accepted from our own pages only', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ me { user { email } } }')}`;
    const ask = async (headers: Record<string, string>) => (await send('GET', path, { cookie, ...headers })).status;
    expect(await ask({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await ask({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await ask({ origin: 'https://evil.example' })).toBe(403);
  });

  it('no other origin can read an answer to a request with a cookie', async () => {
    const { headers } = await service.request('POST', '/graphql', {
      body: { query: '{ __typename }' },
      headers: { cookie, origin: 'https://app.example' },
    });
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('requests with a token are accepted from any origin', async () => {
    const acme = await service.integrator();
    const headers = { ...json, cookie, authorization: `Bearer ${acme.token}`, 'sec-fetch-site': 'cross-site' };
    expect((await send('POST', '/graphql', headers, '{"query": "{ __typename }"}')).status).toBe(200);
  });
});

describe('/api/auth accepts our own pages only', () => {
  const signIn = () => JSON.stringify({ email: ada.email, password });

  it.each<[string, Record<string, string>, number]>([
    ['our own page', { ...json, 'sec-fetch-site': 'same-origin' }, 200],
    ['a program', json, 200],
    ['another site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
    ['another origin', { ...json, origin: 'https://evil.example' }, 403],
    ['a form', form, 403],
    ['text', plain, 403],
  ])('signing in, by %s', async (_title, headers, status) => {
    expect((await send('POST', '/api/auth/sign-in/email', headers, signIn())).status).toBe(status);
  });

  it('another site can neither sign out nor read the session', async () => {
    const sessions = await service.client.session.count({ where: { userId: ada.userId } });
    for (const path of ['sign-out', 'revoke-sessions']) {
      expect((await send('POST', `/api/auth/${path}`, { cookie, ...plain })).status).toBe(403);
      expect(
        (await send('POST', `/api/auth/${path}`, { cookie, ...json, 'sec-fetch-site': 'cross-site' })).status,
      ).toBe(403);
      expect((await send('GET', `/api/auth/${path}`, { cookie })).status).toBe(405);
    }
    expect((await send('GET', '/api/auth/get-session', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await service.client.session.count({ where: { userId: ada.userId } })).toBe(sessions);
  });
});
