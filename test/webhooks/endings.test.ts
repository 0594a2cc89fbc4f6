import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lookup } from '../../src/webhooks/address-guard.ts';
import { createPoster, success, type Outcome } from '../../src/webhooks/post.ts';
import {
  closedPort,
  drips,
  ends,
  floods,
  forever,
  knownHost,
  makeIdentities,
  reply,
  resets,
  startEndpoint,
  writes,
  type Answer,
  type Behaviour,
  type Endpoint,
  type Identities,
} from './endpoints.ts';

// Every ending of one attempt that we could think of, on real sockets.

const kept = 16 * 1024;
/** For who must run into it. Everybody else has so much that no busy machine makes them. */
const [short, ample] = [400, 8000];
const timedOut = 'timed out after 0.4 s';
const invalid = 'the response is not valid HTTP';
const tooLong = 'the response headers are longer than 16 KiB';
const closedEarly = 'the connection was closed before a response came';
const resetEarly = 'the connection was reset before a response came';
const closedLate = 'the connection was closed before the response was complete';
const resetLate = 'the connection was reset before the response was complete';
/** undici may notice either first. */
const badLength = /not valid HTTP|not as long as its Content-Length/;

interface Ending {
  status: number | null;
  error: string | RegExp | null;
  success: boolean;
  body?: string | Buffer;
  timeoutMs?: number;
}

let identities: Identities;
/** Where redirects lead. */
let target: Endpoint;

beforeAll(async () => {
  identities = makeIdentities();
  target = await startEndpoint({ answer: writes(reply(200)) });
});
afterAll(() => target.close());

const finding =
  (...addresses: string[]): Lookup =>
  (_name, _options, callback) =>
    void setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
const failing =
  (code: string): Lookup =>
  (_name, _options, callback) =>
    void setImmediate(callback, Object.assign(new Error(code), { code }), []);

const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => /^(TCPSocketWrap|TLSWrap|TCPConnectWrap)$/.test(name)).length;

type Settings = Partial<Parameters<typeof createPoster>[0]>;
const request = { headers: { 'Content-Type': 'application/json' }, body: '{"event":"invoice.paid"}' };

/** One attempt at a URL, and what holds for each of them. */
async function attempt(url: string, settings: Settings, endpoint?: Endpoint): Promise<Outcome> {
  const timeoutMs = settings.timeoutMs ?? ample;
  const poster = createPoster({ allowInsecure: true, ...settings, timeoutMs });
  try {
    const outcome = await poster.post({ url, ...request });
    expect(outcome.durationMs).toBeLessThan(timeoutMs * 10);
    expect(outcome.startedAt).toBeInstanceOf(Date);
    expect(outcome.responseBody.length).toBeLessThanOrEqual(kept);
    expect(outcome.responseHeaders === null).toBe(outcome.status === null);
    return outcome;
  } finally {
    await poster.close();
    await expect.poll(() => endpoint?.open() ?? 0, { interval: 5, message: 'connections left' }).toBe(0);
    await expect.poll(sockets, { interval: 5, message: 'sockets left' }).toBe(0);
    expect(endpoint?.requests() ?? 0, 'requests').toBeLessThanOrEqual(1);
    expect(target.requests(), 'requests at the target of redirects').toBe(0);
  }
}

function check(outcome: Outcome, { status, error, success: successful, body }: Ending): void {
  expect({ status: outcome.status, error: outcome.error, success: success(outcome) }).toEqual({
    status,
    error: error instanceof RegExp ? expect.stringMatching(error) : error,
    success: successful,
  });
  if (body !== undefined) expect(outcome.responseBody.equals(Buffer.from(body))).toBe(true);
}

/** An attempt at an endpoint over http, which is known by a name too. */
async function attemptAt(behaviour: Behaviour, ending: Ending, settings: Settings = {}): Promise<Endpoint> {
  const endpoint = await startEndpoint(behaviour);
  try {
    const { timeoutMs } = ending;
    check(await attempt(`http://127.0.0.1:${endpoint.port}/hook`, { timeoutMs, ...settings }, endpoint), ending);
    return endpoint;
  } finally {
    await endpoint.close();
  }
}

const accepted = (status: number, body: string | Buffer = ''): Ending => ({ status, error: null, success: true, body });
const rejected = (status: number, body: string | Buffer = ''): Ending => ({
  ...accepted(status, body),
  success: false,
});
const fails = (error: string | RegExp, status: number | null = null): Ending => ({ status, error, success: false });
const hangs = (status: number | null = null): Ending => ({ ...fails(timedOut, status), timeoutMs: short });

type Row = [name: string, answer: Answer, ending: Ending];

const chunked = 'Transfer-Encoding: chunked';
const big = Buffer.alloc(1024 * 1024, 'x');
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
const noise = randomBytes(kept + 1);
const lines = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_each, index) => `X-${index}: ${'v'.repeat(length)}`);

function* headersForever(): Generator<string> {
  yield 'HTTP/1.1 200 OK\r\n';
  yield* forever('X-A: b\r\n');
}

describe('a status', () => {
  const statuses: Row[] = [
    ...[200, 201, 202, 206, 226, 299].map((code): Row => [
      `${code}`,
      writes(reply(code, [], 'ok')),
      accepted(code, 'ok'),
    ]),
    ['200 without a body', writes(reply(200)), accepted(200)],
    ['200 without a reason', writes('HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok'), accepted(200, 'ok')],
    ['204', writes('HTTP/1.1 204 No Content\r\n\r\n'), accepted(204)],
    ['205', writes(reply(205)), accepted(205)],
    ...[300, 305, 400, 401, 403, 404, 407, 408, 409, 410, 413, 418, 421, 422, 429, 451].map((code): Row => [
      `${code}`,
      writes(reply(code, [], 'no')),
      rejected(code, 'no'),
    ]),
    ...[500, 502, 503, 504, 599, 600, 999].map((code): Row => [
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
    ['100 again and again, fast', floods('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)), hangs()],
    ['an interim response that is too long', floods('HTTP/1.1 103 -\r\n', `${lines(1, 1000)[0]}\r\n`), fails(tooLong)],
    [
      '101',
      writes('HTTP/1.1 101 -\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      fails('the response is not one to this request'),
    ],
  ];
  it.each(statuses)('%s', async (_name, answer, ending) => void (await attemptAt({ answer }, ending)));

  it.each([301, 302, 303, 307, 308])('%i is not followed', async (code) => {
    const location = `Location: http://127.0.0.1:${target.port}/`;
    await attemptAt({ answer: writes(reply(code, [location, 'Refresh: 0'])) }, rejected(code));
    expect(target.connections()).toBe(0);
  });
});

describe('no proper response', () => {
  const broken: Row[] = [
    ['a status line that isn’t', writes('HELLO 200 OK\r\n\r\n'), fails(invalid)],
    ['a status of letters', writes('HTTP/1.1 abc OK\r\n\r\n'), fails(invalid)],
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
    ['a reason without end', floods('HTTP/1.1 200 ', big), hangs()],
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

describe('a body', () => {
  const whole = (body: Buffer): Row[1] => writes(reply(200, [], body));
  const bodies: Row[] = [
    ['of 16 KiB − 1', whole(noise.subarray(0, kept - 1)), accepted(200, noise.subarray(0, kept - 1))],
    ['of 16 KiB', whole(noise.subarray(0, kept)), accepted(200, noise.subarray(0, kept))],
    ['of 16 KiB + 1', whole(noise), accepted(200, noise.subarray(0, kept))],
    [
      'of 16 KiB, then silence',
      writes(reply(200, ['Content-Length: 99999'], noise.subarray(0, kept))),
      accepted(200, noise.subarray(0, kept)),
    ],
    [
      'of 16 KiB − 1, then silence',
      writes(reply(200, ['Content-Length: 99999'], noise.subarray(0, kept - 1))),
      hangs(200),
    ],
    [
      'in chunks',
      drips([reply(200, [chunked]).toString(), '2\r\nok\r\n', '3;x=y\r\nkay\r\n', '0\r\nX: y\r\n\r\n']),
      accepted(200, 'okkay'),
    ],
    ['until the end', ends('HTTP/1.1 200 OK\r\n\r\nok'), accepted(200, 'ok')],
    ['until the end, of nothing', ends('HTTP/1.1 200 OK\r\n\r\n'), accepted(200)],
    ['until the end, which never comes', writes('HTTP/1.1 200 OK\r\n\r\nok'), hangs(200)],
    ['of HTTP/1.0', ends('HTTP/1.0 200 OK\r\n\r\nok'), accepted(200, 'ok')],
    ['of HTTP/1.0, with a length', writes('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'), accepted(200, 'ok')],
    ['of HTTP/1.0, refused', ends('HTTP/1.0 500 Oh\r\n\r\noh'), rejected(500, 'oh')],
    [
      'that looks like a response',
      drips([reply(200, ['Content-Length: 29']).toString(), 'HTTP/1.1 103 -\r\n\r\n', 'HTTP/1.1 99']),
      accepted(200, 'HTTP/1.1 103 -\r\n\r\nHTTP/1.1 99'),
    ],
    [
      'that is compressed',
      writes(reply(200, ['Content-Encoding: gzip'], gzipSync('ok'))),
      accepted(200, gzipSync('ok')),
    ],
    [
      'that inflates to 50 MB',
      writes(reply(200, ['Content-Encoding: gzip'], bomb)),
      accepted(200, bomb.subarray(0, kept)),
    ],
    ['with an encoding that isn’t', writes(reply(200, ['Content-Encoding: x'], 'ok')), accepted(200, 'ok')],
    ['with garbage for gzip', writes(reply(200, ['Content-Encoding: gzip'], 'ok')), accepted(200, 'ok')],
    ['that breaks off', ends(reply(200, ['Content-Length: 9'], 'half')), { ...fails(closedLate, 200), body: 'half' }],
    ['that breaks off, refused', ends(reply(500, ['Content-Length: 9'], 'half')), fails(closedLate, 500)],
    ['that breaks off with a reset', resets(reply(200, ['Content-Length: 9'], 'half')), fails(resetLate, 200)],
    ['in chunks, that breaks off', ends(reply(200, [chunked], '9\r\nhalf')), fails(closedLate, 200)],
    ['in chunks, without the last', ends(reply(200, [chunked], '2\r\nok\r\n')), fails(closedLate, 200)],
    ['in chunks, without the last, and silence', writes(reply(200, [chunked], '2\r\nok\r\n')), hangs(200)],
    ['in chunks that aren’t', writes(reply(200, [chunked], 'no chunk\r\n')), fails(invalid, 200)],
    ['in chunks longer than they say', writes(reply(200, [chunked], '2\r\nokay\r\n0\r\n\r\n')), fails(invalid, 200)],
    ['in a chunk beyond all numbers', writes(reply(200, [chunked], `${'f'.repeat(40)}\r\nok`)), fails(invalid, 200)],
    [
      'with endless trailers',
      floods(reply(200, [chunked], '2\r\nok\r\n0\r\n'), 'X-A: b\r\n'.repeat(5000)),
      fails(tooLong, 200),
    ],
    ['longer than it says', writes(reply(200, ['Content-Length: 2'], 'okay')), accepted(200, 'ok')],
    ['after a 204', writes(reply('204 -', ['Content-Length: 2'], 'ok')), accepted(204)],
    ['of silence', writes(reply(200, ['Content-Length: 9'])), hangs(200)],
    ['of silence, refused', writes(reply(404, ['Content-Length: 9'])), hangs(404)],
    [
      'that drips',
      drips([reply(200, [chunked]).toString(), ...Array.from({ length: 999 }, () => '1\r\nx\r\n')], 20),
      hangs(200),
    ],
  ];
  it.each(bodies)('%s', async (_name, answer, ending) => void (await attemptAt({ answer }, ending)));

  it.each<[string, Answer]>([
    ['of 100 MB', floods(reply(200, [`Content-Length: ${100 * big.length}`]), big, 100)],
    ['without end', floods('HTTP/1.1 200 OK\r\n\r\n', big)],
    ['of endless chunks', floods(reply(200, [chunked]), `100000\r\n${big.toString()}\r\n`)],
  ])('%s is cut', async (_name, answer) => {
    const endpoint = await attemptAt({ answer }, { status: 200, error: null, success: true });
    expect(endpoint.bytesSent(), 'what the kernel buffers, not the whole').toBeLessThan(50 * big.length);
  });
});

describe('no connection', () => {
  it('is refused', async () => {
    check(await attempt(`http://127.0.0.1:${await closedPort()}/`, {}), fails('connection refused'));
  });

  it('is refused by each address of a name', async () => {
    const lookup = finding('127.0.0.1', '127.0.0.2');
    check(await attempt(`http://${knownHost}:${await closedPort()}/`, { lookup }), fails('connection refused'));
  });

  it('at a name’s first address, but at its second: the request is sent once', async () => {
    const endpoint = await startEndpoint({ answer: writes(reply(200)) });
    const lookup = finding('127.0.0.2', '127.0.0.1');
    check(await attempt(`http://${knownHost}:${endpoint.port}/`, { lookup }, endpoint), accepted(200));
    expect(endpoint.requests()).toBe(1);
    await endpoint.close();
  });

  it.each<[string, Lookup, Ending]>([
    ['the name doesn’t exist', failing('ENOTFOUND'), fails('the name does not resolve')],
    ['it has no address', failing('ENODATA'), fails('the name does not resolve')],
    ['it has none, and that is no error', finding(), fails('the name does not resolve')],
    ['the resolver gives up', failing('EAI_AGAIN'), fails('the name server does not answer')],
    ['SERVFAIL', failing('ESERVFAIL'), fails('the name server reports a failure')],
    ['something unheard of', failing('EWHATEVER'), fails('the exchange failed (EWHATEVER)')],
    ['no answer', () => {}, { ...fails(/timed out|does not answer/), timeoutMs: short }],
  ])('when resolving: %s', async (_name, lookup, ending) => {
    check(await attempt(`http://${knownHost}/`, { lookup, timeoutMs: ending.timeoutMs }), ending);
  });

  it('when the name server answers after the time-out: nothing is sent any more', async () => {
    const endpoint = await startEndpoint({ answer: writes(reply(200)) });
    let answered: Promise<void> | undefined;
    const lookup: Lookup = (name, options, callback) => {
      answered = new Promise((resolve) => {
        setTimeout(() => resolve(finding('127.0.0.1')(name, options, callback)), short * 2);
      });
    };
    const poster = createPoster({ allowInsecure: true, timeoutMs: short, lookup });
    const outcome = await poster.post({ url: `http://${knownHost}:${endpoint.port}/`, ...request });
    check(outcome, fails(/timed out|does not answer/));
    await answered;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(endpoint.requests()).toBe(0);
    await poster.close();
    await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
    await endpoint.close();
  });

  it.each([
    ['https://hooks.example.com', ['127.0.0.1'], 'resolves to a private address'],
    ['https://hooks.example.com', ['93.184.216.34', '10.0.0.1'], 'resolves to a private address'],
    ['https://hooks.example.com', ['::ffff:127.0.0.1'], 'resolves to a private address'],
    ['https://127.0.0.1', [], 'not sent: Must not be a private address.'],
    ['https://2130706433', [], 'not sent: Must not be a private address.'],
    ['https://0x7f.1', [], 'not sent: Must not be a private address.'],
    ['https://[::1]', [], 'not sent: Must not be a private address.'],
    ['https://[::ffff:127.0.0.1]', [], 'not sent: Must not be a private address.'],
    ['https://localhost', ['127.0.0.1'], 'not sent: Must not be a name on a private network.'],
    ['http://hooks.example.com', ['127.0.0.1'], 'not sent: Must begin with https://.'],
  ])('to %s, which is %j, unless it is allowed', async (origin, addresses, error) => {
    const endpoint = await startEndpoint({ secure: identities.good, answer: writes(reply(200)) });
    const settings = { allowInsecure: false, lookup: finding(...addresses), ca: identities.ca };
    check(await attempt(`${origin}:${endpoint.port}/`, settings, endpoint), fails(error));
    expect(endpoint.connections()).toBe(0);
    await endpoint.close();
  });
});

describe('over TLS', () => {
  const unknown = /not from a known authority/;
  /** What the endpoint shows; or, for who doesn't speak TLS, what it does. */
  const rows: [string, Exclude<keyof Identities, 'ca'> | Behaviour['connected'], Ending][] = [
    ['a good certificate', 'good', accepted(200, 'ok')],
    ['one for a wildcard', 'wildcard', accepted(200, 'ok')],
    ['one for another name', 'otherName', fails('the TLS certificate is for another name')],
    ['one that has expired', 'expired', fails('the TLS certificate has expired')],
    ['one that isn’t valid yet', 'early', fails('the TLS certificate is not valid yet')],
    ['a self-signed one', 'selfSigned', fails('the TLS certificate is self-signed')],
    ['one from an authority that nobody knows', 'unknown', fails(unknown)],
    ['silence in the handshake', () => {}, { ...fails(/timed out|does not answer/), timeoutMs: short }],
    ['plain text', (socket) => void socket.write('220 smtp.example.com ESMTP\r\n'), fails('the TLS handshake failed')],
    ['plain HTTP', (socket) => void socket.write(reply(400)), fails('the TLS handshake failed')],
    [
      'an alert',
      (socket) => void socket.write(Buffer.from('15030300020228', 'hex')),
      fails('the TLS handshake failed'),
    ],
    [
      'a reset in the handshake',
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
      fails(/handshake|reset before a response/),
    ],
    [
      'an end in the handshake',
      (socket) => void socket.once('data', () => socket.end()),
      fails('the connection was closed during the TLS handshake'),
    ],
  ];
  const at = async (behaviour: Behaviour, ending: Ending, settings: Settings = {}): Promise<Endpoint> => {
    const endpoint = await startEndpoint(behaviour);
    const { timeoutMs } = ending;
    const all = { lookup: finding('127.0.0.1'), ca: identities.ca, timeoutMs, ...settings };
    try {
      check(await attempt(`https://${knownHost}:${endpoint.port}/hook`, all, endpoint), ending);
    } finally {
      await endpoint.close();
    }
    return endpoint;
  };

  it.each(rows)('%s', async (_name, shown, ending) => {
    const answer = writes(reply(200, [], 'ok'));
    const plain = typeof shown === 'function' ? { connected: shown } : undefined;
    const endpoint = await at(plain ?? { secure: identities[shown as 'good'], answer }, ending);
    if (!plain) expect(endpoint.requests()).toBe(ending.success ? 1 : 0);
  });

  it('a good certificate, for who knows only the usual authorities', async () => {
    await at({ secure: identities.good }, fails(unknown), { ca: undefined });
  });

  it('a wish for a certificate of ours', async () => {
    const secure = { ...identities.good, requestCert: true, rejectUnauthorized: true };
    await at({ secure }, fails(/TLS handshake|before a response came/));
  });

  it.each<Row>([
    [
      '100, then 200, each byte by itself',
      drips(`HTTP/1.1 100 -\r\n\r\n${reply(200, [], 'ok').toString()}`, 1),
      accepted(200, 'ok'),
    ],
    [
      'a body that looks like a response',
      drips([reply(200, ['Content-Length: 29']).toString(), 'HTTP/1.1 103 -\r\n\r\n', 'HTTP/1.1 99']),
      accepted(200, 'HTTP/1.1 103 -\r\n\r\nHTTP/1.1 99'),
    ],
    ['a body that breaks off', ends(reply(200, ['Content-Length: 9'], 'half')), fails(closedLate, 200)],
    ['nothing', ends(''), fails(closedEarly)],
    ['silence', () => {}, hangs()],
    ['a body without end', floods('HTTP/1.1 200 OK\r\n\r\n', big), { status: 200, error: null, success: true }],
  ])('%s', async (_name, answer, ending) => {
    const endpoint = await at({ secure: identities.good, answer }, ending);
    expect(endpoint.requests()).toBe(1);
  });
});

describe('two attempts at one endpoint', () => {
  async function twice(answer: Answer, between: (endpoint: Endpoint) => Promise<void> | void = () => {}) {
    const endpoint = await startEndpoint({ answer });
    const poster = createPoster({ allowInsecure: true, timeoutMs: ample });
    const url = `http://127.0.0.1:${endpoint.port}/`;
    try {
      const first = await poster.post({ url, ...request });
      await between(endpoint);
      const second = await poster.post({ url, ...request });
      return { first, second, endpoint };
    } finally {
      await poster.close();
      await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
      await endpoint.close();
    }
  }
  const numbered: Answer = (socket, index) => void socket.write(reply(200, [], `${index}`));

  it('need no more than a connection each, and send one request each', async () => {
    const { first, second, endpoint } = await twice(numbered, () => new Promise((resolve) => setTimeout(resolve, 50)));
    check(first, accepted(200, '0'));
    check(second, accepted(200, '1'));
    expect(endpoint.requests()).toBe(2);
    expect(endpoint.connections()).toBeLessThanOrEqual(2);
  });

  it.each<[string, Answer]>([
    ['closed', (socket, index) => (socket.write(reply(200, [], `${index}`)), setTimeout(() => socket.end(), 50))],
    [
      'reset',
      (socket, index) => (socket.write(reply(200, [], `${index}`)), setTimeout(() => socket.resetAndDestroy(), 50)),
    ],
    ['closed as announced', (socket, index) => void socket.end(reply(200, ['Connection: close'], `${index}`))],
  ])('need two when it is %s in between, and each request is sent once', async (_name, answer) => {
    const gone = async (endpoint: Endpoint): Promise<void> => {
      await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
    };
    const { first, second, endpoint } = await twice(answer, gone);
    check(first, accepted(200, '0'));
    check(second, accepted(200, '1'));
    expect([endpoint.connections(), endpoint.requests()]).toEqual([2, 2]);
  });

  it('when it hangs up just as the second is written: that one is sent once at most', async () => {
    const { first, second, endpoint } = await twice((socket) => void socket.end(reply(200, [], 'ok')));
    check(first, accepted(200, 'ok'));
    expect(success(second) || /before a response came/.test(second.error ?? '')).toBe(true);
    expect(endpoint.requests()).toBeLessThanOrEqual(2);
  });

  it('when the first is answered twice: the second doesn’t take that for its own', async () => {
    const doubly: Answer = (socket, index) =>
      void socket.write(Buffer.concat([reply(200, [], `${index}`), reply(299, [], 'unasked')]));
    const { first, second, endpoint } = await twice(doubly);
    check(first, accepted(200, '0'));
    check(second, accepted(200, '1'));
    expect(endpoint.requests()).toBe(2);
  });
});

it('an answer before the whole request is there', async () => {
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

it('closing waits for who is under way; afterwards nothing is sent', async () => {
  const endpoint = await startEndpoint({ answer: (socket) => void setTimeout(() => socket.write(reply(200)), 100) });
  const poster = createPoster({ allowInsecure: true, timeoutMs: ample });
  const url = `http://127.0.0.1:${endpoint.port}/`;
  const underWay = poster.post({ url, ...request });
  await poster.close();
  check(await underWay, accepted(200));
  await expect(poster.post({ url, ...request })).rejects.toThrow('closed');
  await expect.poll(() => endpoint.open() + sockets(), { interval: 5 }).toBe(0);
  expect(endpoint.requests()).toBe(1);
  await endpoint.close();
});
