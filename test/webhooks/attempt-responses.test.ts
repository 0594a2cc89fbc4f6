import { describe, expect, it } from 'vitest';
import { createPoster } from '../../src/webhooks/post.ts';
import {
  ample,
  accepted,
  attemptAt,
  badLength,
  big,
  check,
  chunked,
  closedEarly,
  endless,
  fails,
  hangs,
  headersForever,
  invalid,
  lines,
  prepareAttempts,
  rejected,
  resetEarly,
  sockets,
  target,
  tooLong,
  type Ending,
  type AttemptCase,
} from './attempts.ts';
import { drips, ends, floods, forever, reply, resets, startEndpoint, writes, type Behaviour } from './endpoints.ts';

prepareAttempts();

describe('a status', () => {
  const statuses: AttemptCase[] = [
    ...[200, 201, 202, 206, 226, 299].map((code): AttemptCase => [
      `${code}`,
      writes(reply(code, [], 'ok')),
      accepted(code, 'ok'),
    ]),
    ['200 without a body', writes(reply(200)), accepted(200)],
    ['200 without a reason', writes('HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok'), accepted(200, 'ok')],
    ['204', writes('HTTP/1.1 204 No Content\r\n\r\n'), accepted(204)],
    ['205', writes(reply(205)), accepted(205)],
    ...[300, 305, 400, 401, 403, 404, 407, 408, 409, 410, 413, 418, 421, 422, 429, 451].map((code): AttemptCase => [
      `${code}`,
      writes(reply(code, [], 'no')),
      rejected(code, 'no'),
    ]),
    ...[500, 502, 503, 504, 599, 600, 999].map((code): AttemptCase => [
      `${code}`,
      writes(reply(code, [], 'no')),
      rejected(code, 'no'),
    ]),
    ['304', writes('HTTP/1.1 304 Not Modified\r\n\r\n'), rejected(304)],
    ['429 with Retry-After', writes(reply(429, ['Retry-After: 1'])), rejected(429)],
    ['503 that closes', ends(reply(503, ['Connection: close'])), rejected(503)],
    ['401 with a challenge', writes(reply(401, ['WWW-Authenticate: Basic realm="x"'])), rejected(401)],
    ['100, then 200', writes(`HTTP/1.1 100 Continue\r\n\r\n${reply(200, [], 'ok').toString()}`), accepted(200, 'ok')],
    [
      '103, then 204',
      drips(['HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', 'HTTP/1.1 204 -\r\n\r\n']),
      accepted(204),
    ],
    [
      '102, 102, 100, then 500',
      writes(`${'HTTP/1.1 102 -\r\n\r\n'.repeat(2)}HTTP/1.1 100 -\r\n\r\n${reply(500).toString()}`),
      rejected(500),
    ],
    [
      '100 and 200, each byte by itself',
      drips(`HTTP/1.1 100 -\r\nA: b\r\n\r\n${reply(200, [], 'HTTP/1.1').toString()}`, 1),
      accepted(200, 'HTTP/1.1'),
    ],
    ['100, then nothing', writes('HTTP/1.1 100 Continue\r\n\r\n'), hangs()],
    ['100, then the end', ends('HTTP/1.1 100 Continue\r\n\r\n'), fails(closedEarly)],
    ['100 again and again', drips(forever('HTTP/1.1 100 Continue\r\n\r\n'), 20), hangs()],
    ['100 again and again, fast', floods('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)), fails(endless)],
    ['103 with headers again and again', floods('', reply(103, lines(10, 1000))), fails(endless)],
    ['an interim response that is too long', floods('HTTP/1.1 103 -\r\n', `${lines(1, 1000)[0]}\r\n`), fails(tooLong)],
    [
      '101',
      writes('HTTP/1.1 101 -\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      fails('the response is not one to this request'),
    ],
  ];
  it.each(statuses)('%s', async (_name, answer, ending) => void (await attemptAt({ answer }, ending)));

  it.each([301, 302, 303, 307, 308])('%i is not followed as a redirect', async (code) => {
    const location = `Location: http://127.0.0.1:${target.port}/`;
    await attemptAt({ answer: writes(reply(code, [location, 'Refresh: 0'])) }, rejected(code));
    expect(target.connections()).toBe(0);
  });
});

describe('a malformed response', () => {
  const broken: AttemptCase[] = [
    ['a status line that isn’t', writes('HELLO 200 OK\r\n\r\n'), fails(invalid)],
    ['a status of letters', writes('HTTP/1.1 abc OK\r\n\r\n'), fails(invalid)],
    ...['000', '001', '007', '099'].map((status): AttemptCase => [
      `a status ${status}`,
      writes(reply(status)),
      fails(invalid),
    ]),
    ['a status 000 without a length, then the end', ends('HTTP/1.1 000 \r\n\r\nok'), fails(invalid)],
    ['a status 000 after a 100', writes(`${reply(100).toString()}${reply('000').toString()}`), fails(invalid)],
    ['a status of four digits', writes(reply(2000)), fails(invalid)],
    ['a status of two digits', writes('HTTP/1.1 20\r\n\r\n'), fails(invalid)],
    ['HTTP/2', writes('HTTP/2 200 OK\r\n\r\n'), fails(invalid)],
    ['a frame of HTTP/2', writes(Buffer.from('000012040000000000', 'hex')), fails(invalid)],
    ['HTTP/0.9', ends('ok'), fails(invalid)],
    ['another protocol', writes('SSH-2.0-OpenSSH_9.9\r\n'), fails(invalid)],
    ['TLS where HTTP is expected', writes(Buffer.from('15030300020228', 'hex')), fails(invalid)],
    ['a request', writes('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), fails(invalid)],
    ['zeros', floods('', Buffer.alloc(65536)), fails(invalid)],
    ['a header that isn’t', writes('HTTP/1.1 200 OK\r\nno colon\r\n\r\n'), fails(invalid)],
    ['nothing', ends(''), fails(closedEarly)],
    ['nothing, with a reset', resets(''), fails(resetEarly)],
    ['an empty line, then the end', ends('\r\n'), fails(/closed before a response came|not valid HTTP/)],
    ['half a status line', ends('HTTP/1.'), fails(closedEarly)],
    ['half the headers', ends('HTTP/1.1 200 OK\r\nX-A: b\r\nX-'), fails(closedEarly)],
    ['half the headers, with a reset', resets('HTTP/1.1 200 OK\r\nX-A'), fails(resetEarly)],
    ['silence', () => {}, hangs()],
    ['silence after a status line', writes('HTTP/1.1 200 OK\r\n'), hangs()],
    ['silence after a letter', writes('H'), hangs()],
    ['headers that drip', drips(headersForever(), 20), hangs()],
    ['a header that drips', drips(['HTTP/1.1 200 OK\r\nX-A: ', ...'b'.repeat(10_000)]), hangs()],
    ['headers of 12 KiB', writes(reply(200, lines(12, 1000), 'ok')), accepted(200, 'ok')],
    ['headers of 17 KiB', writes(reply(200, lines(17, 1000), 'ok')), fails(tooLong)],
    ['one header of 17 KiB', writes(reply(200, lines(1, 17 * 1024))), fails(tooLong)],
    ['a name of 17 KiB', writes(reply(200, [`${'N'.repeat(17 * 1024)}: v`])), fails(tooLong)],
    ['a reason without end', floods('HTTP/1.1 200 ', big), fails(tooLong)],
    ['empty lines without end', floods('', '\r\n'.repeat(5000)), fails(endless)],
    ['a megabyte of headers', writes(reply(200, lines(1000, 1000))), fails(tooLong)],
    ['endless headers', floods('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'.repeat(5000)), fails(tooLong)],
    [
      'two differing Content-Length',
      writes(reply(200, ['Content-Length: 2', 'Content-Length: 3'], 'okk')),
      fails(badLength),
    ],
    ['a Content-Length that is no number', writes(reply(200, ['Content-Length: ok'], 'ok')), fails(invalid)],
    ['a negative Content-Length', writes(reply(200, ['Content-Length: -1'], 'ok')), fails(invalid)],
    [
      'a Content-Length beyond all numbers',
      writes(reply(200, [`Content-Length: ${'9'.repeat(40)}`], 'ok')),
      fails(badLength),
    ],
    ['both framings', writes(reply(200, ['Content-Length: 2', chunked], '2\r\nok\r\n0\r\n\r\n')), fails(badLength)],
  ];
  it.each(broken)('%s', async (_name, answer, ending) => void (await attemptAt({ answer }, ending)));

  it.each<[string, Behaviour['connected'], Ending]>([
    [
      'a reset at once',
      (socket) => socket.resetAndDestroy(),
      fails(/^the connection was (closed|reset) before a response/),
    ],
    ['an end at once', (socket) => socket.end(), fails(/^the connection was (closed|reset) before a response/)],
    // Whoever answers 2xx before reading has said that it is received.
    ['a response before the request', (socket) => socket.write(reply(200)), accepted(200)],
  ])('%s', async (_name, connected, ending) => void (await attemptAt({ connected }, ending)));
});

it('a response before the whole request is sent is accepted', async () => {
  const endpoint = await startEndpoint({
    connected: (socket) =>
      socket.once('data', () => drips(['HTTP/1.1 413 -\r\nContent-Length: 2\r\n\r\n', 'H', 'T'])(socket, 0)),
  });
  const poster = createPoster({ allowInsecure: true, timeoutMs: ample });
  const body = Buffer.alloc(20 * big.length);
  check(await poster.post({ url: `http://127.0.0.1:${endpoint.port}/`, headers: {}, body }), rejected(413, 'HT'));
  await poster.close();
  await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
  expect(endpoint.requests()).toBe(1);
  await endpoint.close();
});
