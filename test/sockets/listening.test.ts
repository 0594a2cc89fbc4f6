import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, type Listening } from '../../src/commands/service/listening.ts';
import { Connections } from '../../src/server/http/connections.ts';
import { defaultTimeouts, serverOptions } from '../../src/server/http/timeouts.ts';

// A server that listens with several sockets (serve and start do so on Linux) behaves as one that listens with one.

const sockets = 16;
const clients = 64;
const ok: RequestListener = (_, response) => response.end('ok');

async function start(
  handle: RequestListener,
  { headMs = defaultTimeouts.headMs, ...options }: { sockets?: number; headMs?: number } = {},
): Promise<Listening & { server: Server; port: number }> {
  const server = createServer(serverOptions({ ...defaultTimeouts, headMs }), handle);
  const listening = await listen(server, { host: '127.0.0.1', port: 0, sockets, ...options });
  return { server, ...listening, port: Number(new URL(listening.address).port) };
}

function connectTo(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

const connectMany = (port: number): Promise<Socket[]> =>
  Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = connectTo(port);
      await once(socket, 'connect');
      return socket;
    }),
  );

async function ask(port: number): Promise<string> {
  const sent = request({ port, host: '127.0.0.1', agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return text(response);
}

/** The turns of the event loop in which a busy process accepts its clients' connections. */
async function countTurns(options: { sockets: number }): Promise<number> {
  const { server, port, close } = await start(ok, options);
  onTestFinished(close);
  let [accepted, turns] = [0, 0];
  server.on('connection', () => (accepted += 1));
  for (let made = 0; made < clients; made += 1) connectTo(port);
  const isDone = (): boolean => accepted === clients;
  for (; !isDone(); turns += 1) await nextTurn();
  return turns;
}

/** The turns in which a client is accepted, beside another that connects faster than one socket accepts. */
async function countTurnsBesideFlood(options: { sockets: number }): Promise<number> {
  const { server, port, close } = await start(ok, options);
  onTestFinished(close);
  const ports = new Set<number | undefined>();
  server.on('connection', (socket: Socket) => ports.add(socket.remotePort));
  const flood = (): void => {
    for (let made = 0; made < 4; made += 1) connectTo(port);
  };
  for (let before = 0; before < 30; before += 1) {
    flood();
    await nextTurn();
  }
  const innocent = connectTo(port);
  await once(innocent, 'connect');
  let turns = 0;
  const isAccepted = (): boolean => ports.has(innocent.localPort);
  for (; !isAccepted(); turns += 1) {
    flood();
    await nextTurn();
  }
  return turns;
}

describe('a server that listens with several sockets', () => {
  it('accepts several connections in a turn of the event loop, where one socket accepts one', async () => {
    expect(await countTurns({ sockets: 1 })).toBeGreaterThanOrEqual(clients);
    expect(await countTurns({ sockets })).toBeLessThan(clients / 2);
  });

  it('accepts a client soon beside another that connects again and again', async () => {
    expect(await countTurnsBesideFlood({ sockets: 1 })).toBeGreaterThan(60);
    expect(await countTurnsBesideFlood({ sockets })).toBeLessThan(30);
  });

  it('is closed to others at once, and has finished when all of its requests have', async () => {
    const waiting: (() => void)[] = [];
    const { port, close } = await start((_, response) => void waiting.push(() => response.end('ok')));
    const answers = Array.from({ length: clients }, () => ask(port));
    await expect.poll(() => waiting.length).toBe(clients);
    let isClosed = false;
    const closed = close().then(() => (isClosed = true));
    for (let tries = 0; tries < clients; tries += 1) await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
    let finished = 0;
    for (const answer of answers) void answer.then(() => (finished += 1));
    for (const respond of waiting.slice(1)) respond();
    await expect.poll(() => finished).toBe(clients - 1);
    expect(isClosed).toBe(false);
    waiting[0]?.();
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['ok']));
    await closed;
  });

  it('closes idle connections of each socket when it stops', async () => {
    const { port, close } = await start(ok);
    const idle = await connectMany(port);
    const ended = Promise.all(
      idle.map(async (socket) => {
        socket.write('GET / HTTP/1.1\r\nHost: kontor.example\r\n\r\n');
        await once(socket, 'data');
        await once(socket, 'end');
      }),
    );
    await expect.poll(() => idle.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
    await close();
    await ended;
  });

  /** The status lines that clients get, each on a connection of its own. */
  const statusesOf = async (port: number, act: (socket: Socket) => void): Promise<Set<string>> => {
    const answers = (await connectMany(port)).map(async (socket) => {
      act(socket);
      return (await text(socket)).slice(0, 'HTTP/1.1 200'.length);
    });
    return new Set(await Promise.all(answers));
  };

  it('applies its time limits to the connections of each socket', async () => {
    const { port, close } = await start(ok, { headMs: 200 });
    onTestFinished(close);
    expect(await statusesOf(port, (socket) => socket.write('GET / HTTP/1.1\r\n'))).toEqual(new Set(['HTTP/1.1 408']));
  });

  it('keeps a half-closed connection open for the answer', async () => {
    const { port, close } = await start((_, response) => void setImmediate(() => response.end('ok')));
    onTestFinished(close);
    const whole = 'GET / HTTP/1.1\r\nHost: kontor.example\r\n\r\n';
    expect(await statusesOf(port, (socket) => socket.end(whole))).toEqual(new Set(['HTTP/1.1 200']));
  });

  it('counts the connections of all sockets towards its limits', async () => {
    const { server, port, close } = await start(ok);
    onTestFinished(close);
    const limits = { total: 10, perAddress: 0 };
    const connections = new Connections(limits, () => {});
    connections.watch(server);
    let closed = 0;
    for (const socket of await connectMany(port))
      socket
        .on('error', () => {})
        .once('close', () => (closed += 1))
        .resume();
    await expect.poll(() => closed).toBe(clients - limits.total);
    expect(connections.open.size).toBe(limits.total);
  });

  it('waits for a port that another server has, and never shares it', async () => {
    const other = await start(ok);
    const second = createServer(ok);
    const outcome = listen(second, { host: '127.0.0.1', port: other.port, sockets });
    await other.close();
    const { address, close } = await outcome; // it waits for a port that is in use, for some seconds
    expect(new URL(address).port).toBe(String(other.port));
    await close();
    await expect(ask(other.port)).rejects.toThrow('ECONNREFUSED');
  });
});
