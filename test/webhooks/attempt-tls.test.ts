import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  accepted,
  attempt,
  big,
  check,
  closedEarly,
  closedLate,
  endless,
  fails,
  finding,
  hangs,
  identities,
  prepareAttempts,
  short,
  type Ending,
  type AttemptCase,
  type Settings,
} from './attempts.ts';
import {
  drips,
  ends,
  floods,
  knownHost,
  reply,
  startEndpoint,
  writes,
  type Behaviour,
  type Endpoint,
  type Identities,
} from './endpoints.ts';

prepareAttempts();

/** Requests for a handshake: a TLS client passes over them while it is in one. */
const helloRequests = Buffer.concat([Buffer.from('1603033e80', 'hex'), Buffer.alloc(16_000)]);
const floodsWith = (bytes: Buffer) => (socket: Socket) => void socket.once('data', () => floods('', bytes)(socket, 0));

describe('over TLS', () => {
  const unknown = /not from a known authority/;
  /** The endpoint's certificate; or its behaviour, where it doesn't sendRaw TLS. */
  const rows: [string, Exclude<keyof Identities, 'ca'> | Behaviour['connected'], Ending][] = [
    ['a good certificate', 'good', accepted(200, 'ok')],
    ['one for a wildcard', 'wildcard', accepted(200, 'ok')],
    ['one for another name', 'otherName', fails('the TLS certificate is for another name')],
    ['one that has expired', 'expired', fails('the TLS certificate has expired')],
    ['one that is not valid yet', 'early', fails('the TLS certificate is not valid yet')],
    ['a self-signed one', 'selfSigned', fails('the TLS certificate is self-signed')],
    ['one from an unknown authority', 'unknown', fails(unknown)],
    ['silence in the handshake', () => {}, { ...fails(/timed out|does not answer/), timeoutMs: short }],
    ['plain text', (socket) => void socket.write('220 smtp.example.com ESMTP\r\n'), fails('the TLS handshake failed')],
    ['plain HTTP', (socket) => void socket.write(reply(400)), fails('the TLS handshake failed')],
    ['requests for a handshake without end', floodsWith(helloRequests), fails(endless)],
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

  it('a certificate of a private authority, without its root certificate', async () => {
    await at({ secure: identities.good }, fails(unknown), { ca: undefined });
  });

  it('asks for handshakes without end', async () => {
    let handshakes = 0;
    const again = (socket: Socket): void =>
      void (socket as TLSSocket).renegotiate({}, (error) => {
        handshakes += 1;
        if (!error) again(socket);
      });
    const secure = { ...identities.good, maxVersion: 'TLSv1.2' as const };
    await at({ secure, answer: again }, fails(/timed out|handshake|closed before/), { timeoutMs: short });
    expect(handshakes).toBeLessThanOrEqual(1);
  });

  it('a request for a client certificate', async () => {
    const secure = { ...identities.good, requestCert: true, rejectUnauthorized: true };
    await at({ secure }, fails(/TLS handshake|before a response came/));
  });

  it.each<AttemptCase>([
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
