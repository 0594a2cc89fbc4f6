import { connect, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '../graphql/hostile/hostile.ts';
import type { Integrator, Service } from '../harness.ts';
import { campaign } from '../reliability/served.ts';
import { head, json } from '../rest/raw.ts';

// Clients that are slow, silent, gone before they are answered, or talk rubbish. (One that takes nothing of its answers is
// rest/slow.test.ts's: the system's own buffers take 40 MB for each.)

interface Stranger {
  /** Its behaviour once it is connected. Then it stays until it is hung up on. */
  act(socket: Socket, random: (max: number) => number): void;
  /** The statuses it may hear, and no others. */
  hears: number[];
}

/** @param who they claim to be, those who say something */
function strangers(who: Integrator): Record<string, Stranger> {
  const list = head(who, 'GET /api/v1/customers?per_page=100');
  const post = (...more: string[]): string => head(who, 'POST /api/v1/customers', json, ...more);
  const silent = { hears: [408] };
  return {
    'says nothing': { act: () => {}, ...silent },
    'half a head': { act: (socket, r) => socket.write(list.slice(0, 1 + r(list.length - 2))), ...silent },
    'half a body': { act: (socket) => socket.write(`${post('Content-Length: 100')}{"type":`), ...silent },
    'an endless chunk': {
      act: (socket) => socket.write(`${post('Transfer-Encoding: chunked')}ffffffff\r\n{`),
      ...silent,
    },
    'drips a head': { act: (socket) => drip(socket, 'GET /api/v1/me HTTP/1.1\r\nX: '), ...silent },
    'asks, and is gone': { act: (socket) => socket.write(list, () => socket.destroy()), hears: [] },
    'asks, and resets': { act: (socket) => socket.write(list.repeat(3), () => socket.resetAndDestroy()), hears: [] },
    'half a body, and is gone': {
      act: (socket) => socket.write(`${post('Content-Length: 100')}{"type":`, () => socket.destroy()),
      hears: [],
    },
    'closes its half': { act: (socket) => socket.end(list), hears: [200] },
    'headers too long': {
      act: (socket, r) => socket.write(`GET / HTTP/1.1\r\nX: ${'x'.repeat(17_000 + r(200_000))}\r\n\r\n`),
      hears: [431],
    },
    'headers too many': {
      act: (socket) => socket.write(`GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(5000)}\r\n`),
      hears: [431],
    },
    'random bytes': { act: (socket, r) => socket.write(randomBytes(1 + r(5000))), hears: [400, 408] },
    'rubbish behind requests': {
      act: (socket, r) => socket.write(list.repeat(1 + r(3)) + randomBytes(20 + r(5000)).toString('latin1')),
      hears: [200, 400, 408],
    },
    TLS: { act: (socket) => socket.write(Buffer.from('16030100a5010000a10303', 'hex')), hears: [400] },
    'HTTP/2': { act: (socket) => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), hears: [400] },
    'an upgrade': {
      act: (socket) => socket.write(head(who, 'GET /graphql', 'Connection: Upgrade', 'Upgrade: websocket')),
      hears: [200],
    },
    'a tunnel': {
      act: (socket) => socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'),
      hears: [],
    },
  };
}

function drip(socket: Socket, start: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write('x'), 200);
  socket.once('close', () => clearInterval(timer));
}

/** The outcome of the connections of one kind. */
export interface Fate {
  closed: number;
  /** The longest until one was closed, by whichever side. */
  longestMs: number;
  /** How often each status was heard. */
  heard: Record<number, number>;
  /** The statuses that it should not have heard. */
  wrong: Set<number>;
}

/** Between two connections. */
const everyMs = 2;

/** So many connections of each kind, and so many of all at a time, each held until it is closed. */
export async function beset(
  { url }: Pick<Service, 'url'>,
  who: Integrator,
  { each, atOnce, tell }: { each: number; atOnce: number; tell?: () => string },
): Promise<Map<string, Fate>> {
  const kinds = Object.entries(strangers(who));
  const fates = new Map(
    kinds.map(([name]): [string, Fate] => [name, { closed: 0, longestMs: 0, heard: {}, wrong: new Set() }]),
  );
  const port = Number(new URL(url).port);
  let free = 0;
  const meet = async (index: number): Promise<void> => {
    // More at a time than the system lets wait would be lost on their way, and never know.
    free = Math.max(free, performance.now()) + everyMs;
    await sleep(free - performance.now());
    const [name, { act, hears }] = kinds[index % kinds.length]!;
    const fate = fates.get(name)!;
    const start = performance.now();
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => act(socket, random(index)));
      let last = '';
      socket.on('data', (chunk: Buffer) => {
        const text = last + chunk.toString('latin1');
        for (const [, status] of text.matchAll(statusLine)) note(fate, hears, Number(status));
        last = text.slice(text.lastIndexOf('\n') + 1).slice(-20); // a line may come in two pieces
      });
      socket
        .on('error', () => {})
        .once('close', () => {
          fate.closed += 1;
          fate.longestMs = Math.max(fate.longestMs, Math.round(performance.now() - start));
          resolve();
        });
    });
  };
  await campaign('connections', each * kinds.length, atOnce, meet, tell);
  return fates;
}

const statusLine = /HTTP\/1\.1 (\d{3}) [^\n]*\n/g;

function note({ heard, wrong }: Fate, hears: number[], status: number): void {
  heard[status] = (heard[status] ?? 0) + 1;
  if (!hears.includes(status)) wrong.add(status);
}
