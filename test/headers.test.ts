import { afterAll, beforeAll, expect, it } from 'vitest';
import { signedIn, type Browser } from './identity/browser.ts';
import { version } from '../schema/version.ts';
import { startService, type Integrator, type Service } from './harness.ts';
import { sendRaw } from './rest/raw.ts';

// Every kind of answer has security headers (OWASP ASVS 4.0.3, 14.4), and says which version answers.

let service: Service;
let acme: Integrator;
let browser: Browser;

beforeAll(async () => {
  service = await startService({ publicUrl: 'https://books.example', corsOrigins: ['https://front.example'] });
  acme = await service.integrator();
  // Requests come over HTTP, as from a proxy. The cookie is for HTTPS nevertheless.
  browser = (await signedIn(service)).browser;
});
afterAll(() => service.close());

const ofAny = {
  'kontor-version': version,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
};
const nothing = "default-src 'none'; frame-ancestors 'none'";

/** Status and headers of a raw answer. */
function read(received: string): { status: number; headers: Headers } {
  const [line = '', ...lines] = received.slice(0, received.indexOf('\r\n\r\n')).split('\r\n');
  const headers = lines.map((each): [string, string] => [each.split(':', 1)[0]!, each.slice(each.indexOf(':') + 1)]);
  return { status: Number(line.split(' ')[1]), headers: new Headers(headers) };
}

const anonymous =
  (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  async () =>
    service.request(method, path, { headers: { accept: 'application/json', ...headers }, body });
const asToken =
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  async () =>
    service.request(method, path, { headers: { authorization: `Bearer ${acme.token}`, ...headers }, body });
const raw = (text: string) => async () => read(await sendRaw(service, text));
const query = '{ me { user { id } } }';

it.each<[string, number, () => Promise<{ status: number; headers: Headers }>]>([
  ['REST: a list', 200, asToken('GET', '/api/v1/customers')],
  ['REST: created', 201, asToken('POST', '/api/v1/projects', { name: 'x' })],
  ['REST: no token', 401, anonymous('GET', '/api/v1/me')],
  ['REST: not found', 404, asToken('GET', '/api/v1/customers/x')],
  ['REST: method not allowed', 405, asToken('PUT', '/api/v1/customers')],
  ['REST: too long', 413, asToken('POST', '/api/v1/customers', 'x'.repeat(1024 * 1024 + 1))],
  ['REST: no JSON', 415, asToken('POST', '/api/v1/customers', '{}', { 'content-type': 'text/plain' })],
  ['REST: not valid', 422, asToken('POST', '/api/v1/customers', {})],
  ['REST: once', 201, asToken('POST', '/api/v1/projects', { name: 'y' }, { 'idempotency-key': 'y' })],
  ['REST: replayed', 201, asToken('POST', '/api/v1/projects', { name: 'y' }, { 'idempotency-key': 'y' })],
  ['REST: an invalid address', 404, raw('GET //%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')],
  ['its description', 200, anonymous('GET', '/api/v1/openapi.json')],
  [
    'a preflight',
    204,
    anonymous('OPTIONS', '/api/v1/me', { origin: 'https://front.example', 'access-control-request-method': 'GET' }),
  ],
  ['GraphQL: an answer', 200, asToken('POST', '/graphql', { query })],
  ['GraphQL: no token', 401, anonymous('POST', '/graphql', {}, { query })],
  ['GraphQL: no document', 200, asToken('POST', '/graphql', {})],
  ['GraphQL: a mutation by GET', 405, asToken('GET', '/graphql?query=mutation%7Ba%7D')],
  ['GraphQL: once', 200, asToken('POST', '/graphql', { query }, { 'idempotency-key': 'x' })],
  ['its schema', 200, anonymous('GET', '/schema.graphql')],
  ['a session', 200, () => browser.request('GET', '/api/auth/get-session')],
  ['a failed sign-in', 401, () => browser.signIn('nobody@example.com')],
  ['a forged request', 403, anonymous('POST', '/api/auth/sign-out', { 'sec-fetch-site': 'cross-site' })],
  ['health', 200, anonymous('GET', '/health/live')],
  ['readiness', 200, anonymous('GET', '/health/ready')],
  ['an unknown path', 404, anonymous('POST', '/nothing')],
  ['an invalid Host', 400, raw('GET / HTTP/1.1\r\nHost: [\r\n\r\n')],
  ['no HTTP', 400, raw('rubbish\r\n\r\n')],
  ['headers that are too long', 431, raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)],
])('an answer has security headers: %s, %d', async (_what, status, send) => {
  const answer = await send();
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toMatchObject({ ...ofAny, 'content-security-policy': nothing });
  expect(answer.headers.get('cache-control')).toMatch(/no-store|public, max-age=300/);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.has('x-powered-by') || answer.headers.has('server')).toBe(false);
  const type = answer.headers.get('content-type');
  if (status !== 204) expect(type).toMatch(/json|; charset=utf-8$/);
});

it.each([
  ['the dashboard', '/', 200],
  ['one of its pages', '/settings', 200],
  ['the guides', '/docs/quick-start', 200],
  ['the documentation', '/docs', 200],
  ['the API reference', '/docs/api', 200],
  ['the console', '/docs/console', 200],
  ['GraphiQL', '/graphql', 200],
  ['an unknown page', '/docs/nothing', 404],
])('a page has security headers: %s', async (_what, path, status) => {
  const answer = await service.request('GET', path, { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toMatchObject({ ...ofAny, 'x-frame-options': 'DENY' });
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/default-src 'self'; script-src 'self' 'nonce-[^']+'/);
  for (const part of ["object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"]) {
    expect(policy).toContain(part);
  }
  expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/);
});
