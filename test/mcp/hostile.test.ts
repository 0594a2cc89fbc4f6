import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { calling, common, request, send, type Json } from './client.ts';

const origin = 'https://shop.example';
let service: Service;
let acme: Integrator;
let other: Integrator;

beforeAll(async () => {
  service = await startService({ corsOrigins: [origin] });
  [acme, other] = [await service.integrator(), await service.integrator({ name: 'Other' })];
});
afterAll(() => service.close());

const post = (message: unknown, headers?: Record<string, string>): Promise<Answer> =>
  send(service, acme.token, message, headers);
const structured = async (name: string, args: unknown, token = acme.token): Promise<Json> =>
  (await send(service, token, calling(name, args))).body.result.structuredContent;

/** A message of the revision 2026-07-28, which carries its client in each request. */
const current = (method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const currentHeaders = (method: string): Record<string, string> => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
});

describe('who may call', () => {
  it('only a token: without one, with a wrong one, or with a cookie it is 401', async () => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { cookie: 'kontor_session=x' }]) {
      const answer = await send(service, undefined, request('tools/list'), headers as Record<string, string>);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { code: 'UNAUTHENTICATED' } } });
    }
  });

  it('pages of our own and of the configured origins; any other Origin is 403, also with our Host', async () => {
    for (const own of [service.url, origin])
      expect([own, (await post(request('tools/list'), { origin: own })).status]).toEqual([own, 200]);
    for (const foreign of ['http://evil.example', 'null', 'http://127.0.0.1:1', `${service.url}.evil.example`, ''])
      expect([foreign, (await post(request('tools/list'), { origin: foreign })).status]).toEqual([foreign, 403]);
    const rebound = await new Promise<number | undefined>((resolve) => {
      const headers = {
        ...common,
        authorization: `Bearer ${acme.token}`,
        host: 'evil.example',
        origin: 'http://evil.example',
      };
      const sent = httpRequest(`${service.url}/mcp`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.end(JSON.stringify(request('tools/list')));
    });
    expect(rebound).toBe(403);
  });

  it('a tool that the abilities don’t allow is refused as REST refuses it, and one that isn’t there as unknown', async () => {
    const { token } = await service.integrator({ abilities: ['customers:read'] });
    expect(await structured('createCustomer', { type: 'customer', company_name: 'A' }, token)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      message: 'This token lacks the ability customers:write.',
    });
    const query = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "A" }) { id } }';
    expect((await structured('graphql_mutation', { query }, token)).errors[0].extensions.code).toBe('FORBIDDEN');
    for (const name of ['nothing', '__proto__', 'constructor', '', '../me', 'getMe\0'])
      expect([name, (await post(calling(name))).body.error.code]).toEqual([name, -32602]);
  });

  it('another tenant’s ids are answered as ids that nobody has', async () => {
    const { body } = await other.rest('POST', '/customers', { type: 'customer', company_name: 'Theirs' });
    const { id } = body.data;
    for (const [name, args] of [
      ['getCustomer', { id }],
      ['updateCustomer', { id, company_name: 'Ours' }],
      ['deleteCustomer', { id }],
    ] as const) {
      const { request_id: _theirs, ...theirs } = await structured(name, args);
      const { request_id: _none, ...none } = await structured(name, {
        ...args,
        id: '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b',
      });
      expect(theirs).toEqual(none);
      expect(theirs.status).toBe(404);
    }
    expect((await other.rest('GET', `/customers/${id}`)).body.data.company_name).toBe('Theirs');
  });
});

describe('arguments', () => {
  it('an id leads to no other address', async () => {
    const ids = [
      '../../x',
      '..',
      '.',
      '%2e%2e',
      'a?b',
      'a#b',
      '../me',
      'batch',
      '',
      ' ',
      '\0',
      'x\r\ny',
      7,
      null,
      {},
      [],
    ];
    for (const id of ids)
      for (const name of ['getCustomer', 'deleteCustomer', 'updateCustomer', 'getInvoicePdf', 'issueInvoice'])
        expect([name, id, (await structured(name, { id })).status]).toEqual([name, id, 404]);
  });

  it('texts that no header can hold are refused, and add no header', async () => {
    const keys = ['a\r\nX-Evil: 1', 'a\nb', '\0', 'ключ', 'a'.repeat(300), '', 7, {}, ['a']];
    for (const idempotency_key of keys) {
      const args = { type: 'customer', company_name: 'Header', idempotency_key };
      expect([idempotency_key, (await structured('createCustomer', args)).status]).toEqual([idempotency_key, 422]);
    }
    const { body } = await acme.rest('GET', '/customers?q=Header');
    expect(body.meta.total).toBe(0);
  });

  it('of any JSON are answered as REST answers them', async () => {
    const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    for (const args of [undefined, {}, { type: '\0', company_name: '\ud800' }, { constructor: 1, toString: [] }])
      expect([args, (await structured('createCustomer', args)).status]).toEqual([args, 422]);
    for (const args of [null, [], 'x', 7, true])
      expect([args, (await post(calling('createCustomer', args))).body.error.code]).toEqual([args, -32602]);
    const polluting = '{"__proto__":{"type":"customer","company_name":"Proto"}}';
    const whole = JSON.stringify(calling('createCustomer')).replace('"arguments":{}', `"arguments":${polluting}`);
    expect((await post(whole)).body.result.structuredContent.status).toBe(422);
    const message = JSON.stringify(calling('createCustomer', { type: 'x' }));
    expect((await post(message.replace('"x"', deep(500)))).body.result.structuredContent.status).toBe(422);
    expect([400, 200]).toContain((await post(message.replace('"x"', deep(400_000)))).status);
    expect((await post(message.replace('"x"', `[${'0,'.repeat(400_000)}0]`))).status).toBe(413);
    expect((await post(message.replace('"x"', `"${'x'.repeat(1024 * 1024)}"`))).status).toBe(413);
  });
});

describe('messages', () => {
  it('several at once are refused, whatever they are', async () => {
    for (const batch of [[], [request('tools/list')], Array.from({ length: 1000 }, () => calling('getProfile'))])
      expect((await post(batch)).status).toBe(400);
  });

  it('a compressed one is refused as REST refuses it', async () => {
    const { status, body } = await post(request('tools/list'), { 'content-encoding': 'gzip' });
    expect([status, body.error.message]).toEqual([415, 'The body must not be compressed.']);
  });

  it('what is no message is refused', async () => {
    for (const text of ['', '{', 'null', '7', '"x"', '{"jsonrpc":"2.0","id":1,"method":"tools/list"', '\0', '\ud800'])
      expect([text, (await post(text)).status]).toEqual([text, 400]);
    expect((await post({})).status).toBe(400);
    expect((await post(request('tools/list'), { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(request('tools/list'), { accept: 'text/html' })).status).toBe(406);
    expect((await post(request('admin/secrets'))).body.error.code).toBe(-32601);
    for (const method of ['subscriptions/listen', 'tools/nothing'])
      expect((await post(current(method), currentHeaders(method))).body.error.code).toBe(-32601);
  });

  it('GET opens no stream, and no session can be ended or guessed', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
      const answer = await service.request(method, '/mcp', {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${acme.token}` },
      });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    }
    const answer = await post(request('tools/list'), { 'mcp-session-id': 'somebody-else' });
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('of revisions that nobody knows are refused, and so is a header that says otherwise than the message', async () => {
    for (const version of ['1999-01-01', 'x', '2026-07-28'])
      expect((await post(request('tools/list'), { 'mcp-protocol-version': version })).status).toBe(400);
    const message = current('tools/list');
    expect((await post(message, currentHeaders('tools/list'))).status).toBe(200);
    expect((await post(message, currentHeaders('tools/call'))).status).toBe(400);
    expect((await post(message, { 'mcp-protocol-version': '2025-11-25' })).status).toBe(400);
  });
});

it('each message counts once towards the token’s limit, and past it is answered 429 as in REST', async () => {
  const limited = await startService({
    limiter: () => createRateLimiter({ limit: 5, store: memoryStore() }),
  });
  try {
    const { token, rest } = await limited.integrator();
    const left = (answer: Answer): string | null => answer.headers.get('x-ratelimit-remaining');
    expect(left(await send(limited, token, request('tools/list')))).toBe('4');
    expect(left(await send(limited, token, calling('getProfile')))).toBe('3');
    expect(left(await send(limited, token, calling('graphql_query', { query: '{ __typename }' })))).toBe('2');
    expect(left(await rest('GET', '/me'))).toBe('1');
    expect(left(await send(limited, token, { jsonrpc: '2.0', method: 'notifications/initialized' }))).toBe('0');
    const refused = await send(limited, token, calling('getProfile'));
    expect(refused.status).toBe(429);
    expect(refused.body.error.data).toMatchObject({ code: 'RATE_LIMITED', retry_after: expect.any(Number) });
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.error.data.retry_after));
  } finally {
    await limited.close();
  }
});

it('a hundred lists at once don’t keep others from their answers', async () => {
  const started = performance.now();
  const attacks = Array.from({ length: 100 }, () => post(request('tools/list')));
  const innocent = await other.rest('GET', '/me');
  const innocentMs = performance.now() - started;
  const answers = await Promise.all(attacks);
  process.stdout.write(
    `100 × tools/list: ${Math.round(performance.now() - started)} ms; beside them GET /me: ${Math.round(innocentMs)} ms\n`,
  );
  expect(innocent.status).toBe(200);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text.length}`)).size).toBe(1);
});
