import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endSessions, removeUser, revokeToken } from '../../src/identity/index.ts';
import { makePdf } from '../attachments/files.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { calling, common } from '../mcp/client.ts';
import { startProxy, type Proxy } from '../faults/proxy.ts';
import { makeReceipt } from '../graphql/books.ts';
import { fromOurPage, signedIn } from './browser.ts';

// A client that holds its body back is admitted long before it writes.

let service: Service;
let onAdmission = (): void => {};

let database: Database;
let proxy: Proxy;

beforeAll(async () => {
  database = await createDatabase();
  const url = new URL(database.url);
  proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  service = await startService({
    database: { ...database, url: url.href },
    limiter: () => ({
      admit: async () => {
        onAdmission();
        return { admitted: true, limit: 1, remaining: 1, resetAt: 1, resetInSeconds: 1 };
      },
    }),
  });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.drop();
});

interface Held {
  status: number | undefined;
  wait: string | undefined;
  text: string;
}

/** Sends a request whose body ends only once it was admitted, and `meanwhile` is over. */
async function hold(
  path: string,
  headers: Record<string, string>,
  body: string | Buffer,
  meanwhile: () => Promise<unknown>,
): Promise<Held> {
  const bytes = Buffer.from(body);
  const admitted = new Promise<void>((resolve) => (onAdmission = resolve));
  const { promise, resolve, reject } = Promise.withResolvers<Held>();
  const sent = request(new URL(path, service.url), {
    method: 'POST',
    headers: { ...headers, 'content-length': bytes.length },
  });
  sent.once('error', reject).once('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('end', () => {
      const { statusCode: status, headers: received } = response;
      resolve({ status, wait: received['retry-after'], text: Buffer.concat(chunks).toString() });
    });
  });
  sent.write(bytes.subarray(0, -1));
  await admitted;
  await meanwhile();
  sent.end(bytes.subarray(-1));
  return promise;
}

const json = { 'content-type': 'application/json' };
const query = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Held" }) { id } }';
const mutation = JSON.stringify({ query });
const values = { type: 'customer', company_name: 'Held' };
const customer = JSON.stringify(values);

const boundary = 'boundary';
const form = [
  ['operations', mutation],
  ['map', '{}'],
]
  .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  .concat(`--${boundary}--\r\n`)
  .join('');

/** Each way in which a body is read. */
const ways: [string, string, Record<string, string>, string | Buffer][] = [
  ['REST', '/api/v1/customers', json, customer],
  ['REST with a key', '/api/v1/customers', { ...json, 'idempotency-key': 'a' }, customer],
  ['a batch', '/api/v1/customers/batch', json, JSON.stringify({ items: [values] })],
  [
    'JSON Lines',
    '/api/v1/bulk-operations?resource=customers&action=create',
    { 'content-type': 'application/jsonl' },
    customer,
  ],
  ['a file', '/api/v1/receipts/:id/attachments?filename=a.pdf', { 'content-type': 'application/pdf' }, makePdf()],
  ['GraphQL', '/graphql', json, mutation],
  [
    'GraphQL in a form of fields',
    '/graphql',
    { 'content-type': 'application/x-www-form-urlencoded' },
    `query=${query}`,
  ],
  ['GraphQL with a key', '/graphql', { ...json, 'idempotency-key': 'b' }, mutation],
  ['a form', '/graphql', { 'content-type': `multipart/form-data; boundary=${boundary}` }, form],
  ['MCP', '/mcp', common, JSON.stringify(calling('create_customer', values))],
];

describe('a body that arrives after its token was revoked', () => {
  it.each(ways)('writes nothing: %s', async (_way, path, headers, body) => {
    const who: Integrator = await service.integrator();
    const address = path.includes(':id') ? path.replace(':id', await makeReceipt(who)) : path;
    const authorization = `Bearer ${who.token}`;
    const { status } = await hold(address, { authorization, ...headers }, body, () =>
      revokeToken(service.client, who.tokenId),
    );
    expect(status).toBe(401);
    expect(await who.db.customer.count()).toBe(0);
    expect(await who.db.attachment.count()).toBe(0);
    expect(await who.db.bulkOperation.count()).toBe(0);
  });

  it('is written while the token is valid', async () => {
    const who = await service.integrator();
    const headers = { authorization: `Bearer ${who.token}`, ...json };
    expect(await hold('/api/v1/customers', headers, customer, async () => {})).toMatchObject({ status: 201 });
  });
});

describe('a body that arrives while the database is away', () => {
  it.each(ways)('is answered with a time to wait: %s', async (_way, path, headers, body) => {
    const who: Integrator = await service.integrator();
    const address = path.includes(':id') ? path.replace(':id', await makeReceipt(who)) : path;
    const held = hold(address, { authorization: `Bearer ${who.token}`, ...headers }, body, () => proxy.shut());
    const { status, wait } = await held.finally(() => proxy.clear());
    expect({ status, wait }).toEqual({ status: 503, wait: '5' });
  });
});

it('makes no token for a session that has ended before its body arrived', async () => {
  const { browser, userId } = await signedIn(service);
  const headers = { ...json, ...fromOurPage, cookie: browser.cookie ?? '' };
  const body = JSON.stringify({ query: 'mutation { createApiToken(input: { name: "Kept" }) { value } }' });
  const { status, text } = await hold('/graphql', headers, body, () => endSessions(service.client, { userId }));
  expect(status).toBe(401);
  expect(JSON.parse(text).errors[0].extensions.code).toBe('UNAUTHENTICATED');
  expect(await service.client.apiToken.count({ where: { userId } })).toBe(0);
});

it('writes nothing for a user who has left the tenant meanwhile, though the session is admitted to another one', async () => {
  const [left, kept] = [await service.integrator(), await service.integrator()];
  const { browser, email } = await signedIn(service, left.tenantId, kept.tenantId);
  const headers = { ...json, ...fromOurPage, cookie: browser.cookie ?? '' }; // of the tenant that was joined first
  const { status } = await hold('/graphql', headers, mutation, () =>
    removeUser(service.client, { email, tenantId: left.tenantId }),
  );
  expect(await left.db.customer.count()).toBe(0);
  expect(await kept.db.customer.count()).toBe(0);
  expect(status).toBe(403);
});
