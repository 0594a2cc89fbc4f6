import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { boundResponses } from '../../src/webhooks/response-bounds.ts';
import { createPoster } from '../../src/webhooks/post.ts';
import { ample, request } from './attempts.ts';
import { reply, startEndpoint, writes, type Endpoint } from './endpoints.ts';

let endpoint: Endpoint;
let answer: Buffer;
beforeAll(async () => {
  endpoint = await startEndpoint({ answer: (socket, index) => writes(answer)(socket, index) });
});
afterAll(() => endpoint.close());

it('ends the connection with the error that a listener throws, which nobody else would catch', async () => {
  const socket: Socket = connect(endpoint.port, '127.0.0.1');
  await once(socket, 'connect');
  boundResponses(socket);
  answer = reply(200);
  socket.on('readable', () => {
    throw new Error('an assertion of the parser');
  });
  socket.write('POST / HTTP/1.1\r\n\r\n');
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toBe('an assertion of the parser');
  expect(socket.destroyed).toBe(true);
});

it('keeps the first 100 headers of a response, though all are read', async () => {
  const poster = createPoster({ allowInsecure: true, timeoutMs: ample });
  const url = `http://127.0.0.1:${endpoint.port}/`;
  answer = reply(200, ['A: 1', 'B: 2', 'A: 3', ...Array.from({ length: 2000 }, (_each, index) => `h${index}:`)], 'ok');
  const { status, error, responseHeaders, responseBody } = await poster.post({ url, ...request });
  expect({ status, error, body: responseBody.toString() }).toEqual({ status: 200, error: null, body: 'ok' });
  const rest = Array.from({ length: 97 }, (_each, index) => [`h${index}`, '']);
  expect(responseHeaders).toEqual({ a: ['1', '3'], b: '2', ...Object.fromEntries(rest) });

  answer = reply(200, ['__proto__: x', 'constructor: y', ...Array.from({ length: 2000 }, () => 'a: z')]);
  const repeated = await poster.post({ url, ...request });
  expect(Object.entries(repeated.responseHeaders ?? {})).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['a', Array.from({ length: 98 }, () => 'z')],
  ]);
  await poster.close();
});
