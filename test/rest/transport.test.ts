import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { anError, answers, head, json, last, speak } from './raw.ts';
import * as sample from './samples.ts';
import { faults, refusal } from './samples.ts';

// What no well-behaved client sends: an answer all the same, and never a hanging socket.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());
afterEach(() => sample.noFaults(service));

const mebibyte = 1024 * 1024;
const padded = (length: number): string => JSON.stringify(sample.customer).padEnd(length);

describe('413: a body over 1 MiB', () => {
  it('1 MiB is accepted, a byte more is not', async () => {
    expect((await acme.rest('POST', '/customers', padded(mebibyte))).status).toBe(201);
    const before = await sample.rows(service);
    refusal(await acme.rest('POST', '/customers', padded(mebibyte + 1)), 413);
    refusal(await acme.rest('PATCH', `/customers/${sample.unknownId}`, padded(mebibyte + 1)), 404);
    expect(await sample.rows(service)).toEqual(before);
  });

  it('is counted in bytes', async () => {
    const ducks = sample.characters(mebibyte / 4);
    refusal(await acme.rest('POST', '/customers', { city: ducks }), 413);
  });

  it('chunked, without a content-length', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const chunks = Array.from({ length: 40 }, () => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']).flat();
    const start = head(acme, 'POST /api/v1/customers', json, 'Transfer-Encoding: chunked', last);
    for (const end of ['0\r\n\r\n', '']) {
      expect(answers(await speak(service, start, ...chunks, end))).toEqual([{ status: 413, body: anError }]);
    }
    const short = JSON.stringify(sample.customer);
    const [answer] = answers(await speak(service, start, `${short.length.toString(16)}\r\n${short}\r\n0\r\n\r\n`));
    expect(answer?.status).toBe(201);
  });

  it('announced, and never sent', async () => {
    const start = head(acme, 'POST /api/v1/customers', json, 'Content-Length: 99999999', last);
    expect(answers(await speak(service, start))).toEqual([{ status: 413, body: anError }]);
  });
});

describe('415: a body that is not JSON', () => {
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
  ])('Content-Type: %s', async (type) => {
    refusal(await acme.rest('POST', '/customers', valid, { 'content-type': type }), 415);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; profile="x"; charset=utf-8',
    'application/json;',
  ])('but JSON in UTF-8 is accepted: %s', async (type) => {
    expect((await acme.rest('POST', '/customers', valid, { 'content-type': type })).status).toBe(201);
  });

  it('a body without a Content-Type', async () => {
    const text = await speak(
      service,
      head(acme, 'POST /api/v1/customers', `Content-Length: ${valid.length}`, last),
      valid,
    );
    expect(answers(text)).toEqual([{ status: 415, body: anError }]);
  });

  it('compressed', async () => {
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
    // Compressed, but not said to be: no JSON.
    const response = await fetch(`${service.url}/api/v1/customers`, { method: 'POST', headers, body: gzipSync(valid) });
    expect(response.status).toBe(422);
  });

  it('no body at all is no JSON object: 422', async () => {
    const text = await speak(service, head(acme, 'POST /api/v1/customers', last));
    expect(answers(text)).toEqual([{ status: 422, body: { ...anError, errors: expect.any(Object) } }]);
    expect(faults(await acme.rest('POST', '/customers'))).toHaveLength(1);
  });
});

describe('a wrong Content-Length', () => {
  it('that is too long, from a client that disconnects, writes nothing and logs no error', async () => {
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

  it('that is too short leaves a rest that is no request', async () => {
    const body = JSON.stringify(sample.customer);
    const text = await speak(
      service,
      head(acme, 'POST /api/v1/customers', json, `Content-Length: ${body.length - 5}`),
      body,
    );
    expect(answers(text)).toEqual([
      { status: 422, body: { ...anError, errors: expect.any(Object) } },
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
      expect(answers(await speak(service, head(acme, 'POST /api/v1/customers', json, ...headers), '{}'))).toEqual([
        { status: 400, body: anError },
      ]);
    }
  });
});
