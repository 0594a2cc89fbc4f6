import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { mintToken } from '../../src/identity/token.ts';
import { startInnocentCaller, type Figures } from './innocent-caller.ts';
import { say, serve, type Served } from './served.ts';
import { isLong, size } from './size.ts';

// A client without credentials attacks by its connections. During each attack an innocent caller of another tenant is
// always answered 200, and never waits for a second.

const attackMs = size('ATTACK_MS', { suite: 2000, full: 20_000 });
const pipelined = size('PIPELINED', { suite: 5000, full: 100_000 });
const halves = size('HALVES', { suite: 300, full: 5050 });

const get = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
const halfHead = 'GET /a HTTP/1.1\r\nHost: x\r\n';

/** As npm start has it, with a small heap: if the server kept any pipelined input, it would run out of memory. */
const settings = { NODE_OPTIONS: '--max-semi-space-size=16 --max-old-space-size=160' };

function from(address: string, { url }: Served): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: address });
  return socket.on('error', () => {});
}

async function beside(served: Served, attack: () => Promise<void>): Promise<Figures> {
  const before = await startInnocentCaller(served.url, served.acme.token);
  await sleep(isLong ? 3000 : 300);
  const calm = await before.stop();
  say(`  calm: median ${calm.medianMs} ms, slowest ${calm.slowestMs} ms`);
  const caller = await startInnocentCaller(served.url, served.acme.token);
  await attack();
  await sleep(1000);
  return await caller.stop();
}

function report(what: string, figures: Figures, more = ''): void {
  const { answers, slowestMs, medianMs } = figures;
  say(`${what}: ${answers} answers, median ${medianMs} ms, slowest ${slowestMs} ms ${more}`);
  expect(figures.statuses).toEqual({ 200: answers });
  if (isLong) expect(slowestMs).toBeLessThan(1000);
}

/** Writes requests for as long as the server takes them. */
async function pipeline(socket: Socket, ms: number): Promise<void> {
  const many = get.repeat(10_000);
  const end = performance.now() + ms;
  socket.resume();
  const over = sleep(ms);
  while (performance.now() < end && !socket.destroyed)
    if (!socket.write(many)) await Promise.race([once(socket, 'drain').catch(() => {}), over]);
  socket.destroy();
}

it.each([1, 50])('%d connections that pipeline endlessly', async (count) => {
  const served = await serve('serve', settings);
  onTestFinished(served.close);
  const before = served.memory();
  const figures = await beside(served, async () => {
    await Promise.all(Array.from({ length: count }, () => pipeline(from('127.0.0.2', served), attackMs)));
  });
  const grown = served.memory() - before;
  report(`${count} connections that pipeline endlessly`, figures, `; ${grown} MiB more`);
  expect(grown).toBeLessThan(200);
});

it(`${pipelined} requests pipelined at once are answered without being kept in memory`, async () => {
  const served = await serve('serve', settings);
  onTestFinished(served.close);
  const before = served.memory();
  let most = 0;
  let answers = 0;
  const figures = await beside(served, async () => {
    const socket = from('127.0.0.2', served);
    socket.on('data', (chunk: Buffer) => (answers += chunk.toString('latin1').split('HTTP/1.1 404').length - 1));
    socket.write(get.repeat(pipelined - 1) + get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    const watch = setInterval(() => (most = Math.max(most, served.memory())), 100);
    await once(socket, 'close');
    clearInterval(watch);
  });
  report(`${pipelined} requests pipelined at once`, figures, `; ${most - before} MiB more, ${answers} answered`);
  // A status line may be split over two chunks.
  expect(answers).toBeGreaterThan(pipelined * 0.99);
  expect(most - before).toBeLessThan(150);
});

it.each([
  ['of one client', 1, '1'],
  ['of ten clients', 10, '1'],
  ['of ten clients, to two processes', 10, '2'],
])(`${halves} half-sent heads %s don’t delay other callers`, async (what, clients, processes) => {
  const served = await serve('serve', { ...settings, WEB_CONCURRENCY: processes });
  onTestFinished(served.close);
  const sockets = new Set<Socket>();
  const figures = await beside(served, async () => {
    const end = performance.now() + attackMs;
    let opened = 0;
    // Closed connections are replaced, 500 a second.
    while (performance.now() < end) {
      const atOnce = opened < halves ? 250 : 50;
      for (let count = 0; sockets.size < halves && count < atOnce; count += 1) {
        opened += 1;
        const socket = from(`127.0.0.${2 + (opened % clients)}`, served);
        socket.once('connect', () => socket.write(halfHead)).once('close', () => sockets.delete(socket));
        sockets.add(socket);
      }
      await sleep(100);
    }
  });
  report(`${halves} half-sent heads ${what}`, figures, `; ${sockets.size} open at last`);
  for (const socket of sockets) socket.destroy();
});

it.each([
  ['one address', 1],
  ['100 addresses', 100],
])('requests with unknown tokens from %s', async (what, clients) => {
  const served = await serve('serve', { ...settings, LOG_LEVEL: 'info' });
  onTestFinished(served.close);
  const before = served.memory();
  let answers = 0;
  let logged = 0;
  const figures = await beside(served, async () => {
    const end = performance.now() + attackMs;
    // The form is right, so that each is looked up in the database.
    const ask = (): string =>
      `GET /api/v1/customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mintToken().value}\r\n\r\n`;
    const flood = async (index: number): Promise<void> => {
      const socket = from(`127.0.0.${2 + (index % clients)}`, served);
      await once(socket, 'connect');
      while (performance.now() < end && !socket.destroyed) {
        socket.write(ask());
        const [chunk] = (await once(socket, 'data')) as [Buffer];
        if (chunk.toString('latin1').startsWith('HTTP/1.1 401')) answers += 1;
      }
      socket.destroy();
    };
    await Promise.all(Array.from({ length: 100 }, (_each, index) => flood(index)));
    logged = served.lines().filter((line) => line.includes(':401')).length;
  });
  const grown = served.memory() - before;
  report(
    `requests with unknown tokens from ${what}`,
    figures,
    `; ${answers} refused, ${logged} lines, ${grown} MiB more`,
  );
  expect(answers).toBeGreaterThan(100);
  expect(logged).toBeLessThan(answers / 2);
  expect(grown).toBeLessThan(200);
});
