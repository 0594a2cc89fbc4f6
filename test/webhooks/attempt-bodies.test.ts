import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  accepted,
  attemptAt,
  big,
  bomb,
  chunked,
  closedLate,
  endless,
  fails,
  hangs,
  invalid,
  kept,
  noise,
  prepareAttempts,
  rejected,
  resetLate,
  tooLong,
  type AttemptCase,
} from './attempts.ts';
import { drips, ends, floods, reply, resets, writes, type Answer } from './endpoints.ts';

prepareAttempts();

const Z = Buffer.alloc(kept, 'z');
const shortChunks = `1;x=${'y'.repeat(999)}\r\nz\r\n`.repeat(99);

describe('a body', () => {
  const whole = (body: Buffer): AttemptCase[1] => writes(reply(200, [], body));
  const bodies: AttemptCase[] = [
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
    ['with an endless chunk extension', floods(reply(200, [chunked], '2;x='), 'y'.repeat(65536)), fails(endless, 200)],
    ['with long extensions of short chunks', floods(reply(200, [chunked]), shortChunks), fails(endless, 200)],
    ['of 16 KiB in chunks of one byte', floods(reply(200, [chunked]), '1\r\nz\r\n'), accepted(200, Z)],
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
