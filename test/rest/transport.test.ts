import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { anError, answers, head, json, last, sendRaw } from './raw.ts';
import * as sample from './samples.ts';
import { invalidFields, refusal } from './samples.ts';

// Requests that no well-behaved client sends are answered too, and leave no socket open.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());
afterEach(() => sample.expectNoInternalError(service));

const mebibyte = 1024 * 1024;
const padded = (length: number): string => JSON.stringify(sample.customer).padEnd(length);

describe('answers 413 to a body over 1 MiB', () => {
  it('that is one byte longer, and accepts exactly 1 MiB', async () => {
    expect((await acme.rest('POST', '/customers', padded(mebibyte))).status).toBe(201);
    const before = await sample.rows(service);
    refusal(await acme.rest('POST', '/customers', padded(mebibyte + 1)), 413);
    refusal(await acme.rest('PATCH', `/customers/${sample.unknownId}`, padded(mebibyte + 1)), 404);
    expect(await sample.rows(service)).toEqual(before);
  });

  it('counted in bytes, not in characters', async () => {
    const ducks = sample.characters(mebibyte / 4);
    refusal(await acme.rest('POST', '/customers', { city: ducks }), 413);
  });

  it('that is chunked, without a Content-Length', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const chunks = Array.from({ length: 40 }, () => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']).flat();
    const start = head(acme, 'POST /api/v1/customers', json, 'Transfer-Encoding: chunked', last);
    for (const end of ['0\r\n\r\n', '']) {
      expect(answers(await sendRaw(service, start, ...chunks, end))).toEqual([{ status: 413, body: anError }]);
    }
    const short = JSON.stringify(sample.customer);
    const [answer] = answers(await sendRaw(service, start, `${short.length.toString(16)}\r\n${short}\r\n0\r\n\r\n`));
    expect(answer?.status).toBe(201);
  });

  it('that is announced but never sent', async () => {
    const start = head(acme, 'POST /api/v1/customers', json, 'Content-Length: 99999999', last);
    expect(answers(await sendRaw(service, start))).toEqual([{ status: 413, body: anError }]);
  });
});

it('answers 400 to a Transfer-Encoding other than chunked, and closes the connection', async () => {
  const before = await sample.rows(service);
  const body = `${JSON.stringify(sample.customer).length.toString(16)}\r\n${JSON.stringify(sample.customer)}\r\n0\r\n\r\n`;
  const codings = [
    'identity, chunked',
    'gzip, chunked',
    'chunked, chunked',
    'identity',
    'chunked, identity',
    ' , chunked',
  ];
  for (const coding of [...codings, 'chunked;q=1', 'xchunked', 'chunked\r\nTransfer-Encoding: chunked']) {
    for (const path of ['/api/v1/customers', '/graphql', '/api/auth/login', '/nowhere']) {
      const text = await sendRaw(service, head(acme, `POST ${path}`, json, `Transfer-Encoding: ${coding}`), body);
      expect([coding, path, ...answers(text)]).toEqual([coding, path, { status: 400, body: anError }]);
    }
  }
  expect(await sample.rows(service)).toEqual(before);
  const [answer] = answers(
    await sendRaw(service, head(acme, 'POST /api/v1/customers', json, 'Transfer-Encoding: Chunked', last), body),
  );
  expect(answer?.status).toBe(201);
});

it('answers 400 to a Transfer-Encoding in HTTP/1.0, whose proxies may not know it, and closes the connection', async () => {
  const before = await sample.rows(service);
  const body = `${JSON.stringify(sample.customer).length.toString(16)}\r\n${JSON.stringify(sample.customer)}\r\n0\r\n\r\n`;
  const start = head(acme, 'POST /api/v1/customers', json, 'Transfer-Encoding: chunked', 'Connection: keep-alive');
  const text = await sendRaw(service, start.replace('HTTP/1.1', 'HTTP/1.0'), body);
  expect(answers(text)).toEqual([{ status: 400, body: anError }]);
  expect(await sample.rows(service)).toEqual(before);
});

describe('answers 415 to a body', () => {
  const valid = JSON.stringify(sample.customer);

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/json-patch+json',
    'text/json',
    'json',
    '*/*',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json;charset="latin1"',
    'application/json; profile=x; charset=utf-16',
  ])('with Content-Type: %s', async (type) => {
    refusal(await acme.rest('POST', '/customers', valid, { 'content-type': type }), 415);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; profile="x"; charset=utf-8',
    'application/json;',
  ])('but not to JSON in UTF-8: %s', async (type) => {
    expect((await acme.rest('POST', '/customers', valid, { 'content-type': type })).status).toBe(201);
  });

  it('without a Content-Type', async () => {
    const text = await sendRaw(
      service,
      head(acme, 'POST /api/v1/customers', `Content-Length: ${valid.length}`, last),
      valid,
    );
    expect(answers(text)).toEqual([{ status: 415, body: anError }]);
  });

  it('that is compressed', async () => {
    const headers = { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' };
    for (const encoding of ['gzip', 'br', 'zstd']) {
      const body = gzipSync(valid);
      const response = await fetch(`${service.url}/api/v1/customers`, {
        method: 'POST',
        headers: { ...headers, 'content-encoding': encoding },
        body,
      });
      expect([response.status, await response.json()]).toEqual([415, anError]);
    }
    // Without Content-Encoding a compressed body is invalid JSON.
    const response = await fetch(`${service.url}/api/v1/customers`, { method: 'POST', headers, body: gzipSync(valid) });
    expect(response.status).toBe(422);
  });

  it('but 422 to a request without a body', async () => {
    const text = await sendRaw(service, head(acme, 'POST /api/v1/customers', last));
    expect(answers(text)).toEqual([
      { status: 422, body: { ...anError, errors: expect.any(Object), details: expect.any(Array) } },
    ]);
    expect(invalidFields(await acme.rest('POST', '/customers'))).toHaveLength(1);
  });
});

describe('a wrong Content-Length', () => {
  it('that is too long writes nothing and logs no error if the client disconnects', async () => {
    const before = await sample.rows(service);
    const body = JSON.stringify(sample.customer);
    for (const hangUp of ['end', 'destroy'] as const) {
      for (const said of [`Content-Length: ${body.length + 100}`, 'Transfer-Encoding: chunked']) {
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
        const text = said.startsWith('T') ? `${(body.length + 100).toString(16)}\r\n${body}` : body;
        socket.write(head(acme, 'POST /api/v1/customers', json, said) + text, () =>
          setTimeout(() => socket[hangUp](), 50),
        );
        socket.resume();
        await once(socket, 'close', { signal: AbortSignal.timeout(5000) });
      }
    }
    expect((await acme.rest('GET', '/me')).status).toBe(200);
    expect(await sample.rows(service)).toEqual(before);
  });

  it('that is too short makes the rest an invalid request', async () => {
    const body = JSON.stringify(sample.customer);
    const text = await sendRaw(
      service,
      head(acme, 'POST /api/v1/customers', json, `Content-Length: ${body.length - 5}`),
      body,
    );
    expect(answers(text)).toEqual([
      { status: 422, body: { ...anError, errors: expect.any(Object), details: expect.any(Array) } },
      { status: 400, body: anError },
    ]);
  });

  it('is answered 400 if there are two, or one beside chunked encoding', async () => {
    const twice = ['Content-Length: 2', 'Content-Length: 3'];
    for (const headers of [
      twice,
      ['Content-Length: 2', 'Transfer-Encoding: chunked'],
      ['Content-Length: -1'],
      ['Content-Length: 1e3'],
    ]) {
      expect(answers(await sendRaw(service, head(acme, 'POST /api/v1/customers', json, ...headers), '{}'))).toEqual([
        { status: 400, body: anError },
      ]);
    }
  });
});
