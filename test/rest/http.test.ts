import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { respondMalformed } from '../../src/server/http/malformed.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { anError, answers, head, json, last, sendRaw } from './raw.ts';
import * as sample from './samples.ts';

// Requests that no well-behaved client sends are answered too, and leave no socket open.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());
afterEach(() => sample.expectNoInternalError(service));

describe('invalid HTTP', () => {
  it('answers pipelined requests in order, and junk after them with 400', async () => {
    const requests = [
      head(acme, 'GET /api/v1/me'),
      head(acme, 'GET /api/v1/nothing'),
      head(acme, 'GET /api/v1/customers?page=0'),
    ];
    const received = answers(await sendRaw(service, requests.join(''), 'junk\r\n\r\n'));
    expect(received.map(({ status }) => status)).toEqual([200, 404, 422, 400]);
    expect(received.at(-1)?.body).toEqual(anError);
  });

  it.each([
    ['junk', 'junk\r\n\r\n'],
    ['binary', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
    ['an unknown method', 'HACK /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['bytes beyond ASCII in the address', 'GET /api/v1/ünï HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a blank in the address', 'GET /api/v1/a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('answers 400 to %s', async (_name, text) => {
    expect(answers(await sendRaw(service, text))).toEqual([{ status: 400, body: anError }]);
  });

  it('answers 431 to headers or a URL of many kilobytes', async () => {
    for (const text of [
      head(acme, 'GET /api/v1/me', `X: ${'x'.repeat(20_000)}`),
      head(acme, `GET /api/v1/customers?q=${'x'.repeat(20_000)}`),
    ]) {
      expect(answers(await sendRaw(service, text))).toEqual([{ status: 431, body: anError }]);
    }
  });
});

it('an unfinished request is answered 408', async () => {
  const timeouts = { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 };
  const server = createServer(timeouts, (request, response) => request.resume().on('end', () => response.end()));
  respondMalformed(server, pino({ level: 'silent' }), () => ({}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const impatient = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  for (const begun of [
    'GET /',
    'GET / HTTP/1.1\r\nHost: x\r\n',
    head(acme, 'POST /', json, 'Content-Length: 100') + '{',
  ]) {
    expect(answers(await sendRaw(impatient, begun))).toEqual([{ status: 408, body: anError }]);
  }
  server.close();
});

describe('malformed URLs are answered 404', () => {
  const absurd = [
    '//',
    '///api/v1/customers',
    '/api/v1//customers',
    '/api//v1/customers',
    '/api/v1/customers//x',
    '*',
    '/api/v1/%zz',
    '/api/v1/%00',
    '/api/v1/customers/%00',
    '/api/v1/customers%2f',
    '/api/v1/cust\\omers',
    '/\\',
    '/api/v1/../../etc/passwd',
    '/api/v1/customers/../../x',
    '/api/v1/./nothing',
    '/api/v1/customers;x=1',
    '/api/v1/[',
    '/api/v1/{id}',
    '/API/V1/CUSTOMERS',
    '/api/v1customers',
    `/${'a/'.repeat(4000)}`,
    'http://[/',
    'http://other.example/nothing',
    '/api/v1/:id',
    '/api/v1/customers/:id',
    '/api/v1/__proto__',
    '/api/v1/constructor',
  ];

  it.each(absurd)('GET %s', async (address) => {
    expect(answers(await sendRaw(service, head(acme, `GET ${address}`, last)))).toEqual([
      { status: 404, body: anError },
    ]);
  });
});

/** A path of each handler, its status, and its content type. */
const addresses: [path: string, status: number, type: string][] = [
  ['/api/v1/me', 200, 'application/json'],
  ['/api/v1/openapi.json', 200, 'application/json'],
  ['/api/auth/get-session', 200, 'application/json'],
  ['/graphql?query=%7Bme%7Buser%7Bid%7D%7D%7D', 200, 'application/json'],
  ['/health/live', 200, 'application/json'],
  ['/schema.graphql', 200, 'text/plain'],
  ['/', 200, 'text/html'],
  ['/docs/quick-start', 200, 'text/html'],
  ['/nothing/at/all.x', 404, 'application/json'],
];

/** Status and content type of the answer to a raw request. */
async function spoken(line: string, ...headers: string[]): Promise<{ status: number; type: string; text: string }> {
  const text = await sendRaw(
    service,
    [line, ...headers, `Authorization: Bearer ${acme.token}`, last, '', ''].join('\r\n'),
  );
  const [, type = ''] = /^content-type: ([^;\r]*)/im.exec(text) ?? [];
  return { status: Number(text.split(' ')[1]), type, text };
}

describe.each(addresses)('at %s', (path, status, type) => {
  it.each(['http://kontor.example', 'https://kontor.example:8443', 'HTTP://[::1]:4000'])(
    'a target in absolute form is the same address (RFC 9112, 3.2.2): %s',
    async (origin) => {
      expect(await spoken(`GET ${origin}${path} HTTP/1.1`, 'Host: x')).toMatchObject({ status, type });
    },
  );

  it.each([
    'x',
    'x:4000',
    'X.example.',
    'a_b',
    '127.0.0.1',
    '127.1',
    '[::1]:4000',
    'x:80',
    'xn--bcher-kva.example',
    '',
  ])('accepts any valid Host: %s', async (host) => {
    expect(await spoken(`GET ${path} HTTP/1.1`, `Host: ${host}`)).toMatchObject({ status, type });
  });

  it.each([
    ['none', []],
    ['two', ['Host: x', 'Host: x']],
    ...['a b', 'x:y:z', 'a/b', '[', '[::1', 'x@y', 'ü', '%', 'a%41', 'x:99999', '256.256.256.256', 'a,b', '<x>'].map(
      (host): [string, string[]] => [host, [`Host: ${host}`]],
    ),
  ])('answers 400 to an invalid Host or more than one (RFC 9112, 3.2): %s', async (_name, hosts) => {
    const { text } = await spoken(`GET ${path} HTTP/1.1`, ...hosts);
    expect(answers(text)).toEqual([{ status: 400, body: anError }]);
    const { text: absolute } = await spoken(`GET http://kontor.example${path} HTTP/1.1`, ...hosts);
    expect(answers(absolute)).toEqual([{ status: 400, body: anError }]);
  });

  it('accepts HTTP/1.0 without a Host', async () => {
    expect(await spoken(`GET ${path} HTTP/1.0`)).toMatchObject({ status, type });
    expect(await spoken(`GET ${path} HTTP/1.0`, 'Host: x')).toMatchObject({ status, type });
    expect(await spoken(`GET ${path} HTTP/1.0`, 'Host: a b')).toMatchObject({ status: 400 });
  });
});

it('OPTIONS * is answered for the server as a whole (RFC 9110, 9.3.7)', async () => {
  expect(await spoken('OPTIONS * HTTP/1.1', 'Host: x')).toMatchObject({ status: 204 });
});

describe('other methods', () => {
  it('TRACE echoes nothing', async () => {
    expect(answers(await sendRaw(service, head(acme, 'TRACE /api/v1/me', last)))).toEqual([
      { status: 405, body: anError },
    ]);
    expect(answers(await sendRaw(service, head(acme, 'TRACE /api/v1/nothing', last)))).toEqual([
      { status: 404, body: anError },
    ]);
  });

  it('CONNECT closes the connection', async () => {
    expect(await sendRaw(service, head(acme, 'CONNECT example.com:443'))).toBe('');
  });

  it('a GET with a body is answered like one without', async () => {
    const text = await sendRaw(service, head(acme, 'GET /api/v1/customers', json, 'Content-Length: 5', last), '[1,2]');
    expect(answers(text)[0]?.status).toBe(200);
  });

  it('Expect: 100-continue gets 100; any other expectation is ignored', async () => {
    const body = JSON.stringify(sample.customer);
    const length = `Content-Length: ${body.length}`;
    const text = await sendRaw(
      service,
      head(acme, 'POST /api/v1/customers', json, length, 'Expect: 100-continue', last),
      body,
    );
    expect(answers(text).map(({ status }) => status)).toEqual([100, 201]);
    const other = await sendRaw(service, head(acme, 'GET /api/v1/me', 'Expect: a-miracle', last));
    expect(answers(other)[0]?.status).toBe(200);
  });
});
