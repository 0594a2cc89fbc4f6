import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { item, makeInvoice } from './graphql/books.ts';
import { startService, type Integrator, type Service } from './harness.ts';
import { enter, fromOurPage, makeUser } from './identity/browser.ts';

// fetch() would decompress responses by itself, and send an Accept-Encoding of its own.

let service: Service;
let acme: Integrator;
let invoice: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  for (let at = 0; at < 10; at += 1)
    await acme.rest('POST', '/customers', { type: 'customer', company_name: `Bäckerei ${at}` });
  invoice = await makeInvoice(acme, { items: Array.from({ length: 20 }, () => item) });
});
afterAll(() => service.close());

interface Sent {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
}

interface Options {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function send(path: string, acceptEncoding: string | undefined, options: Options = {}): Promise<Sent> {
  const headers = {
    authorization: `Bearer ${acme.token}`,
    ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
    ...(options.body !== undefined && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  const request = httpRequest(service.url + path, { method: options.method ?? 'GET', headers });
  request.end(options.body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(parts) };
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

const list = '/api/v1/customers';
const graphql = (query: string, headers: Record<string, string> = {}): Options => ({
  method: 'POST',
  body: JSON.stringify({ query }),
  headers,
});
const customers = '{ customers(first: 10) { nodes { id companyName createdAt updatedAt version } } }';

it.each(['zstd', 'br', 'gzip'])('a response is compressed with %s if its client takes only that', async (coding) => {
  const [plain, compressed] = [await send(list, undefined), await send(list, coding)];
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
  expect(decoders[coding]?.(compressed.bytes).toString()).toBe(plain.bytes.toString());
  expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2);
});

it('an answer over MCP is compressed', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const options = { method: 'POST', body, headers: { accept: 'application/json, text/event-stream' } };
  const [plain, compressed] = [await send('/mcp', undefined, options), await send('/mcp', 'gzip', options)];
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(gunzipSync(compressed.bytes).toString()).toBe(plain.bytes.toString());
  expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 4);
});

it('the client’s preference counts, then ours; what it refuses is not used', async () => {
  const cases: [accepted: string | undefined, coding: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['zstd;q=0, *', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['*;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    [',;q=1'.repeat(3000), undefined],
    [`${'x,'.repeat(90)}gzip`, 'gzip'],
    [`${'x,'.repeat(6000)}gzip`, undefined],
  ];
  for (const [accepted, coding] of cases) {
    const { status, headers } = await send(list, accepted);
    expect([accepted?.slice(0, 40), status, headers['content-encoding']]).toEqual([
      accepted?.slice(0, 40),
      200,
      coding,
    ]);
  }
});

it('short responses, single resources, files, and HEAD’s are sent as they are', async () => {
  const one = `/api/v1/invoices/${invoice}`;
  expect((await send(one, 'gzip')).bytes.length).toBeGreaterThan(5000);
  for (const path of ['/api/v1/me', one, `${one}/pdf`, '/api/v1/none']) {
    const { headers } = await send(path, 'gzip');
    // A response with an entity tag is the same for all clients.
    const vary = headers.etag === undefined ? 'Accept-Encoding' : undefined;
    expect([path, headers['content-encoding'], headers.vary]).toEqual([path, undefined, vary]);
  }
  expect((await send(one, 'gzip')).headers.etag).toMatch(/^"/);
  const { status, headers } = await send(list, 'gzip', { method: 'HEAD' });
  expect([status, headers['content-encoding']]).toEqual([200, undefined]);
});

it('GraphQL’s responses are compressed: the first, repeated ones, errors, and stored ones', async () => {
  const expected = (await send('/graphql', undefined, graphql(customers))).bytes.toString();
  for (let round = 0; round < 3; round += 1) {
    const { headers, bytes } = await send('/graphql', 'zstd', graphql(customers));
    expect([headers['content-encoding'], headers.vary]).toEqual(['zstd', 'Accept-Encoding']);
    expect(zstdDecompressSync(bytes).toString()).toBe(expected);
  }
  const wrong = graphql(`{ ${Array.from({ length: 15 }, (_, at) => `unknownFieldNumber${at}`).join(' ')} }`);
  const refused = await send('/graphql', 'gzip', wrong);
  expect(refused.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(refused.bytes)).toEqual((await send('/graphql', undefined, wrong)).bytes);
  const keyed = graphql(customers, { 'idempotency-key': 'compressed' });
  for (const accepted of ['br', 'br', undefined]) {
    const { headers, bytes } = await send('/graphql', accepted, keyed);
    expect(headers['content-encoding']).toBe(accepted);
    expect((accepted ? brotliDecompressSync(bytes) : bytes).toString()).toBe(expected);
  }
});

it('a response with an idempotency key is replayed in any coding', async () => {
  const items = Array.from({ length: 10 }, (_, at) => ({ type: 'customer', company_name: `Batch ${at}` }));
  const options = { method: 'POST', body: JSON.stringify({ items }), headers: { 'idempotency-key': 'batch' } };
  const plain = await send('/api/v1/customers/batch', undefined, options);
  const replayed = await send('/api/v1/customers/batch', 'gzip', options);
  expect(replayed.headers).toMatchObject({ 'content-encoding': 'gzip' });
  expect(gunzipSync(replayed.bytes)).toEqual(plain.bytes);
});

it('a session’s responses are not compressed', async () => {
  const { email, tenantId } = await makeUser(service, acme.tenantId);
  const { cookie = '' } = await enter(service, { email });
  const headers = { ...fromOurPage, cookie, 'x-tenant': tenantId, authorization: undefined as never };
  delete (headers as Partial<typeof headers>).authorization;
  const request = httpRequest(`${service.url}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'accept-encoding': 'gzip', 'content-type': 'application/json' },
  });
  request.end(JSON.stringify({ query: customers }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part as string;
  expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, undefined]);
  expect(JSON.parse(text).data.customers.nodes).toHaveLength(10);
});

it('the API description is compressed, with a tag of its own', async () => {
  const path = '/api/v1/openapi.json';
  const [plain, compressed] = [await send(path, undefined), await send(path, 'br')];
  expect(brotliDecompressSync(compressed.bytes)).toEqual(plain.bytes);
  expect(compressed.headers.etag).not.toBe(plain.headers.etag);
  const known = { 'if-none-match': compressed.headers.etag ?? '' };
  expect((await send(path, 'br', { headers: known })).status).toBe(304);
  expect((await send(path, undefined, { headers: known })).status).toBe(200);
});
